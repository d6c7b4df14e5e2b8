#include "engine/compaction/table_output.h"

#include <utility>

#include "base/internal_key.h"
#include "base/status_macros.h"

namespace siltstone {

TableOutput::TableOutput(const TableStore& store, TableOutputOptions options)
    : store_(store), options_(std::move(options)) {}

TableOutput::~TableOutput() {
  if (finished_) return;
  current_.reset();  // closes the file before it is removed
  tables_.clear();
  for (const FileId& id : begun_) store_.Discard(id);
}

absl::Status TableOutput::Add(std::string_view internal_key, std::string_view value) {
  const std::string_view user_key = ExtractUserKey(internal_key);
  const bool new_key = !current_.has_value() ||
                       store_.options().order.CompareUserKeys(user_key, last_user_key_) != 0;
  if (new_key) {
    if (ShouldCut(user_key) && current_.has_value()) SILTSTONE_RETURN_IF_ERROR(FinishTable());
    last_user_key_.assign(user_key);
  }
  if (!current_.has_value()) {
    absl::StatusOr<NewTable> table = store_.Create(options_.level, options_.filter);
    if (!table.ok()) return table.status();
    begun_.push_back(table->file);
    current_ = *std::move(table);
    overlapped_bytes_ = 0;
  }
  return current_->writer->Add(internal_key, value);
}

bool TableOutput::ShouldCut(std::string_view user_key) {
  const auto& ranges = options_.grandparents;
  while (next_grandparent_ < ranges.size() &&
         store_.options().order.CompareUserKeys(user_key, ranges[next_grandparent_].largest) > 0) {
    overlapped_bytes_ += ranges[next_grandparent_++].size_bytes;
  }
  if (!current_.has_value()) return false;
  if (options_.target_size_bytes != 0 &&
      current_->writer->estimated_size_bytes() >= options_.target_size_bytes) {
    return true;
  }
  return options_.max_grandparent_bytes != 0 && overlapped_bytes_ > options_.max_grandparent_bytes;
}

absl::Status TableOutput::FinishTable() {
  absl::StatusOr<TableMeta> meta = store_.Finish(*std::move(current_));
  current_.reset();
  if (!meta.ok()) return meta.status();
  bytes_written_ += meta->file_size_bytes;
  metas_.push_back(*std::move(meta));
  return absl::OkStatus();
}

absl::Status TableOutput::Finish() {
  if (current_.has_value()) SILTSTONE_RETURN_IF_ERROR(FinishTable());
  if (!metas_.empty()) SILTSTONE_RETURN_IF_ERROR(store_.SyncDirectory());
  for (const TableMeta& meta : metas_) {
    absl::StatusOr<std::shared_ptr<Table>> table = store_.Open(meta, options_.level);
    if (!table.ok()) return table.status();
    tables_.push_back(*std::move(table));
  }
  finished_ = true;
  return absl::OkStatus();
}

}  // namespace siltstone
