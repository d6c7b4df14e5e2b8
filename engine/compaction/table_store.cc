#include "engine/compaction/table_store.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/hash.h"
#include "base/status_macros.h"
#include "engine/manifest/file_names.h"
#include "sstable/table_reader.h"

namespace siltstone {

TableStore::TableStore(TableStoreOptions options, std::function<uint64_t()> next_file_number)
    : options_(std::move(options)),
      filter_reading_(NewTableFilterPolicy({})),
      next_file_number_(std::move(next_file_number)) {}

std::string TableStore::PathOf(FileId id) const {
  return PathInDirectory(options_.directory, TableFileName(id));
}

absl::StatusOr<NewTable> TableStore::Create(int level, const FilterOptions& filter) const {
  NewTable table;
  table.filter_policy = NewTableFilterPolicy(filter);
  table.id = TableId::Random();
  table.file = {options_.epoch, next_file_number_()};
  absl::StatusOr<std::unique_ptr<TableFile>> file =
      options_.file_system->CreateTable(PathOf(table.file));
  if (!file.ok()) return file.status();

  TableWriterOptions writer;
  writer.order = options_.order;
  writer.block_size_bytes = options_.block_size_bytes;
  writer.compression = options_.compression;
  writer.filter_policy = table.filter_policy.get();
  writer.filter_hash_seed = options_.secrets.current_seed();
  // A key that is a false positive in one table is none in the next.
  writer.filter_salt = Remix(table.id.high ^ Remix(table.id.low));
  writer.secret_id = options_.secrets.current_id();
  writer.table_id = table.id;
  writer.database_id = options_.database_id;
  writer.epoch = table.file.epoch;
  writer.number = table.file.number;
  writer.level = level;
  writer.file_name = TableFileName(table.file);
  table.writer = std::make_unique<TableWriter>(std::move(writer), *std::move(file));
  return table;
}

absl::StatusOr<TableMeta> TableStore::Finish(NewTable table) const {
  absl::StatusOr<TableSummary> summary = table.writer->Finish();
  if (!summary.ok()) return summary.status();
  TableMeta meta;
  meta.epoch = table.file.epoch;
  meta.number = table.file.number;
  meta.file_size_bytes = summary->file_size_bytes;
  meta.tail_size_bytes = summary->tail_size_bytes;
  meta.id = table.id;
  meta.smallest = summary->smallest;
  meta.largest = summary->largest;
  meta.smallest_sequence = summary->smallest_sequence;
  meta.largest_sequence = summary->largest_sequence;
  meta.entries = summary->entries;
  meta.distinct_keys = summary->distinct_keys;
  meta.tombstones = summary->tombstones;
  meta.raw_key_bytes = summary->raw_key_bytes;
  meta.raw_value_bytes = summary->raw_value_bytes;
  return meta;
}

absl::StatusOr<std::shared_ptr<Table>> TableStore::Open(const TableMeta& meta, int level) const {
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> file =
      options_.file_system->OpenTable(PathOf(meta.file_id()));
  if (!file.ok()) return file.status();
  if ((*file)->size_bytes() != meta.file_size_bytes) {
    return absl::DataLossError(absl::StrCat("table size: observed ", (*file)->size_bytes(),
                                            " bytes, the manifest says ", meta.file_size_bytes,
                                            ", in ", meta.FileName()));
  }
  TableReaderOptions reader;
  reader.order = options_.order;
  reader.file_name = meta.FileName();
  reader.file_size_bytes = meta.file_size_bytes;
  reader.tail_size_bytes = meta.tail_size_bytes;
  reader.expected_table_id = meta.id;
  reader.filter_policy = filter_reading_.get();
  reader.block_cache = options_.block_cache.get();
  reader.secret_lookup = [this](uint32_t id) { return options_.secrets.Seed(id); };
  absl::StatusOr<std::unique_ptr<TableReader>> opened =
      TableReader::Open(std::move(reader), *std::move(file));
  if (!opened.ok()) return opened.status();
  if (!(*opened)->filter_fault().ok() && options_.filter_fault_sink) {
    options_.filter_fault_sink((*opened)->filter_fault());
  }
  return std::make_shared<Table>(meta, *std::move(opened), level, options_.obsolete_sink);
}

absl::Status TableStore::SyncDirectory() const {
  return options_.file_system->SyncDirectory(options_.directory);
}

void TableStore::Discard(FileId id) const {
  options_.file_system->DeleteFile(PathOf(id)).IgnoreError();
}

}  // namespace siltstone
