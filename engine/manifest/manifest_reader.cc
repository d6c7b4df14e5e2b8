#include "engine/manifest/manifest_reader.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "engine/wal/log_reader.h"

namespace siltstone {
namespace {

absl::Status Wrong(const std::string& what) { return absl::DataLossError(what); }

// Folds the edits of one manifest, one after the other. Single-threaded.
class ManifestFold {
 public:
  ManifestFold(std::string file_name, FileId id, KeyOrder order)
      : file_name_(std::move(file_name)), id_(id), order_(order) {}

  // Applies the edit in `record`, or changes nothing.
  absl::Status Take(const LogRecord& record) {
    const absl::Status status = Fold(record);
    if (absl::IsDataLoss(status)) {
      return Wrong(absl::StrCat(status.message(), ", in ", file_name_, " at offset ", record.offset,
                                " size ", record.payload.size()));
    }
    if (status.ok()) ++edits_;
    return status;
  }

  uint64_t edits() const { return edits_; }
  ManifestState& state() { return state_; }

 private:
  absl::Status Fold(const LogRecord& record) {
    if (record.sequence != edits_ + 1) {
      return Wrong(absl::StrCat("version edit number: observed ", record.sequence, ", expected ",
                                edits_ + 1));
    }
    const absl::StatusOr<VersionEdit> edit = DecodeVersionEdit(record.payload);
    if (!edit.ok()) return edit.status();
    SILTSTONE_RETURN_IF_ERROR(edits_ == 0 ? CheckFirst(*edit) : CheckLater(*edit));
    return state_.Apply(*edit, order_);
  }

  absl::Status CheckFirst(const VersionEdit& edit) const {
    if (!edit.comparator_name.has_value() || !edit.table_options.has_value() ||
        !edit.last_sequence.has_value() || !edit.next_file_number.has_value() ||
        !edit.epoch.has_value()) {
      return Wrong("first version edit is no snapshot");
    }
    if (*edit.epoch != id_.epoch) {
      return Wrong(absl::StrCat("epoch: observed ", *edit.epoch, ", expected ", id_.epoch));
    }
    const std::string_view given = order_.comparator()->name();
    if (*edit.comparator_name == given) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("comparator is \"", ToAbsl(given), "\", but the database was created with \"",
                     *edit.comparator_name, "\", in ", file_name_, ": open it with that one"));
  }

  static absl::Status CheckLater(const VersionEdit& edit) {
    if (!edit.comparator_name.has_value() && !edit.table_options.has_value() &&
        !edit.epoch.has_value()) {
      return absl::OkStatus();
    }
    return Wrong("later version edit holds what only the first may");
  }

  const std::string file_name_;
  const FileId id_;
  const KeyOrder order_;
  uint64_t edits_ = 0;
  ManifestState state_;
};

absl::StatusOr<std::unique_ptr<LogReader>> OpenManifest(FileSystem& file_system,
                                                        std::string_view directory,
                                                        const CurrentFile& current,
                                                        const ManifestReadOptions& options) {
  const std::string name = current.manifest_name();
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> file =
      file_system.OpenLog(PathInDirectory(directory, name));
  if (absl::IsNotFound(file.status()) && !options.live) {
    return Wrong(
        absl::StrCat("manifest missing: CURRENT names ", name, ", in ", ToAbsl(directory)));
  }
  if (!file.ok()) return file.status();
  LogExpectation expectation;
  expectation.kind = LogKind::kManifest;
  expectation.database_id = current.database_id;
  expectation.epoch = current.manifest.epoch;
  expectation.number = current.manifest.number;
  return LogReader::Open(*std::move(file), name, expectation,
                         {.salvage = options.salvage, .live = options.live});
}

// Applies edits up to the end, or up to the first that is damaged or does not fit: then DataLoss.
absl::Status FoldAll(LogReader& reader, ManifestFold& fold) {
  LogRecord record;
  for (;;) {
    const absl::StatusOr<bool> more = reader.Next(&record);
    if (!more.ok()) return more.status();
    // What stands behind damage builds on what was lost in it.
    if (!reader.damage().ok()) return reader.damage();
    if (!*more) return absl::OkStatus();
    SILTSTONE_RETURN_IF_ERROR(fold.Take(record));
  }
}

}  // namespace

absl::StatusOr<ManifestState> ReadManifest(FileSystem& file_system, std::string_view directory,
                                           const CurrentFile& current,
                                           const ManifestReadOptions& options,
                                           std::vector<std::string>* lost) {
  absl::StatusOr<std::unique_ptr<LogReader>> reader =
      OpenManifest(file_system, directory, current, options);
  if (!reader.ok()) return reader.status();
  ManifestFold fold(current.manifest_name(), current.manifest, options.order);
  const absl::Status status = FoldAll(**reader, fold);
  if (!status.ok() && !(options.salvage && absl::IsDataLoss(status) && fold.edits() > 0)) {
    return status;
  }
  if (fold.edits() == 0) {
    return Wrong(absl::StrCat("manifest holds no version edit: observed 0, expected 1 or more, in ",
                              current.manifest_name(), " at offset ", kLogHeaderBytes));
  }
  if (!status.ok() && lost != nullptr) {
    lost->push_back(absl::StrCat("manifest: ", status.message(), "; kept the ", fold.edits(),
                                 " version edits before that, gave up all behind them"));
  }
  return std::move(fold.state());
}

}  // namespace siltstone
