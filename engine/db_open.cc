#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "engine/compaction/flush_job.h"
#include "engine/db_impl.h"
#include "engine/db_log.h"
#include "engine/maintenance/file_logger.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/version_builder.h"
#include "engine/recovery/options_check.h"
#include "engine/recovery/recover.h"

// Recovery, from the options to an open database:
//
//   options check → lock → ReadDatabase (CURRENT → MANIFEST → logs → memtables) → open every table
//   → [nothing on disk was changed up to here] → secrets → flush → new log → new manifest → CURRENT
//   → obsolete files.
//
// The switch of CURRENT is the one moment at which the new epoch begins; a crash before it leaves the old
// state and some files of names that are never used again.

namespace siltstone {
namespace {

// A writer deletes files beside a read-only open now and then; many times in a row means something else.
constexpr int kMaxReadOnlyAttempts = 20;
constexpr size_t kCacheBlockEstimateBytes = 4096;

// One Open under way. Single-threaded.
class Opening {
 public:
  Opening(const Options& options, std::string_view path) : shared_(std::make_shared<DbShared>()) {
    shared_->options = options;
    shared_->path = WithoutTrailingSlashes(path);
    shared_->order = KeyOrder(options.comparator);
    shared_->limits = LimitsOf(options);
    shared_->stall_limits.immutable_memtables_stop = shared_->limits.max_immutable_memtables;
    shared_->file_system = options.file_system != nullptr ? options.file_system : PosixFileSystem();
    shared_->logger = options.logger;
    shared_->read_only = options.read_only;
    shared_->block_cache = std::make_shared<BlockCache>(
        options.memory_budget_bytes, std::max(options.block_size_bytes, kCacheBlockEstimateBytes));
    shared_->obsolete_files = std::make_shared<ObsoleteFiles>(shared_->file_system, shared_->path);
  }

  absl::StatusOr<std::unique_ptr<DB>> Run() {
    absl::StatusOr<bool> exists = FindOrCreateDirectory();
    if (!exists.ok()) return exists.status();
    SILTSTONE_RETURN_IF_ERROR(CheckExistence(*exists));
    if (shared_->read_only) return OpenReadOnly();
    absl::StatusOr<std::unique_ptr<FileLock>> lock =
        shared_->file_system->LockFile(PathInDirectory(shared_->path, kLockFileName));
    if (!lock.ok()) return lock.status();
    // Again, now that nobody else can create one.
    exists = DatabaseExists(*shared_->file_system, shared_->path);
    if (!exists.ok()) return exists.status();
    SILTSTONE_RETURN_IF_ERROR(CheckExistence(*exists));
    return *exists ? OpenExisting(*std::move(lock)) : Create(*std::move(lock));
  }

 private:
  const Options& options() const { return shared_->options; }

  absl::StatusOr<bool> FindOrCreateDirectory() {
    absl::StatusOr<bool> exists = DatabaseExists(*shared_->file_system, shared_->path);
    if (!absl::IsNotFound(exists.status())) return exists;
    if (!options().create_if_missing) return false;
    SILTSTONE_RETURN_IF_ERROR(shared_->file_system->CreateDirectory(shared_->path));
    SILTSTONE_RETURN_IF_ERROR(shared_->file_system->SyncDirectory(ParentDirectory(shared_->path)));
    return false;
  }

  absl::Status CheckExistence(bool exists) const {
    if (!exists && !options().create_if_missing) {
      return absl::NotFoundError(absl::StrCat("no database at ", shared_->path,
                                              ": open it with create_if_missing to create one"));
    }
    if (exists && options().error_if_exists) {
      return absl::AlreadyExistsError(
          absl::StrCat("a database is at ", shared_->path, " already, and error_if_exists is set"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<DB>> Create(std::unique_ptr<FileLock> lock) {
    shared_->database_id = TableId::Random();
    absl::StatusOr<std::vector<DirectoryEntry>> files =
        shared_->file_system->ListDirectory(shared_->path);
    if (!files.ok()) return files.status();
    database_.files = *std::move(files);
    // An earlier creation may have been cut short: its names are not used again.
    database_.newest_epoch = NewestEpoch(database_.files);
    return Begin(std::move(lock));
  }

  absl::StatusOr<std::unique_ptr<DB>> OpenExisting(std::unique_ptr<FileLock> lock) {
    SILTSTONE_RETURN_IF_ERROR(Read());
    return Begin(std::move(lock));
  }

  absl::StatusOr<std::unique_ptr<DB>> OpenReadOnly() {
    absl::Status status;
    for (int attempt = 0; attempt < kMaxReadOnlyAttempts; ++attempt) {
      status = Read();
      if (!absl::IsNotFound(status)) break;  // a file of this view has gone: take a newer view
    }
    if (absl::IsNotFound(status)) return MissingFile(status);
    SILTSTONE_RETURN_IF_ERROR(status);
    std::vector<std::shared_ptr<MemTable>> newest_first(database_.logs.memtables.rbegin(),
                                                        database_.logs.memtables.rend());
    SILTSTONE_RETURN_IF_ERROR(ShareState(std::move(newest_first), /*active_id=*/0));
    ReportFindings();
    return std::make_unique<DbImpl>(shared_, nullptr, nullptr);
  }

  // Also the newest view names a file that is not there: no writer deleted it.
  static absl::Status MissingFile(const absl::Status& status) {
    return absl::DataLossError(
        absl::StrCat("a file of the database is missing: ", status.message(),
                     "; put the file back, or open for writing with salvage"));
  }

  // Reads all there is and opens all tables; changes nothing on disk.
  absl::Status Read() {
    absl::StatusOr<RecoveredDatabase> database =
        ReadDatabase(*shared_->file_system, shared_->path, options());
    if (!database.ok()) return database.status();
    database_ = *std::move(database);
    shared_->database_id = database_.current.database_id;
    MakeTableStore();
    return OpenTables();
  }

  void MakeTableStore() {
    shared_->epoch = database_.newest_epoch + 1;
    next_file_number_ = std::max<uint64_t>(database_.state.next_file_number, 1);
    TableStoreOptions store;
    store.file_system = shared_->file_system;
    store.directory = shared_->path;
    store.order = shared_->order;
    store.filters = {.kind = options().filter_kind,
                     .fp_chance = options().bloom_filter_fp_chance,
                     .allocation = options().filter_allocation};
    store.block_cache = shared_->block_cache;
    if (database_.secrets.empty()) database_.secrets.AddSecret();
    store.secrets = database_.secrets;
    store.database_id = shared_->database_id;
    store.epoch = shared_->epoch;
    store.block_size_bytes = options().block_size_bytes;
    store.compression = options().compression;
    store.obsolete_sink = [obsolete = shared_->obsolete_files](const std::string& name) {
      obsolete->Add(name);
    };
    store.filter_fault_sink = [shared = shared_.get()](const absl::Status& fault) {
      shared->counters.Add(kFiltersUnusable, 1);
      shared->Log(LogLevel::kWarning,
                  absl::StrCat("table is read without its filter: ", fault.message()));
      if (shared->options.listener != nullptr) shared->options.listener->OnDamage(fault);
    };
    shared_->table_store = std::make_unique<TableStore>(
        std::move(store), [shared = shared_.get()] { return shared->versions->NewFileNumber(); });
  }

  absl::Status OpenTables() {
    tables_.clear();
    for (int level = 0; level < kLevelCount; ++level) {
      std::vector<TableMeta>& metas = database_.state.levels[level];
      for (auto meta = metas.begin(); meta != metas.end();) {
        absl::StatusOr<std::shared_ptr<Table>> table = shared_->table_store->Open(*meta, level);
        if (table.ok()) {
          tables_.push_back(*std::move(table));
          ++meta;
          continue;
        }
        if (!options().salvage || !IsLoss(table.status())) {
          return TableFault(*meta, table.status());
        }
        database_.losses.push_back(
            absl::StrCat("table ", meta->FileName(), " given up, with keys from ",
                         QuoteKey(meta->smallest_user_key()), " to ",
                         QuoteKey(meta->largest_user_key()), ": ", table.status().message()));
        meta = metas.erase(meta);
      }
    }
    return absl::OkStatus();
  }

  // What is not read today for want of a descriptor, a permission or a working disk may be read tomorrow: giving
  // it up would delete it.
  static bool IsLoss(const absl::Status& status) {
    return absl::IsDataLoss(status) || absl::IsNotFound(status);
  }

  absl::Status TableFault(const TableMeta& meta, const absl::Status& status) const {
    if (!absl::IsNotFound(status) || shared_->read_only) return status;
    return absl::DataLossError(
        absl::StrCat("table missing: the manifest names ", meta.FileName(),
                     "; put the file back, or open with salvage to go on without it"));
  }

  // The view and the version keeper over what was read. From here on the tables' state is `shared_`'s.
  absl::Status ShareState(std::vector<std::shared_ptr<MemTable>> immutables, uint64_t active_id) {
    absl::StatusOr<std::shared_ptr<const Version>> version =
        BuildVersion(shared_->order, Version(shared_->order), SnapshotOf(database_.state), tables_);
    if (!version.ok()) return version.status();
    VersionKeeperOptions keeper;
    keeper.file_system = shared_->file_system;
    keeper.directory = shared_->path;
    keeper.order = shared_->order;
    keeper.database_id = shared_->database_id;
    keeper.epoch = shared_->epoch;
    keeper.hold_deletions = [obsolete = shared_->obsolete_files] { obsolete->Hold(); };
    keeper.release_deletions = [obsolete = shared_->obsolete_files] { obsolete->Release(); };
    keeper.obsolete_sink = [obsolete = shared_->obsolete_files](const std::string& name) {
      obsolete->Add(name);
    };
    shared_->versions = std::make_unique<VersionKeeper>(std::move(keeper), database_.state,
                                                        *version, next_file_number_);
    auto view = std::make_unique<ReadView>();
    view->active = std::make_shared<MemTable>(shared_->order, active_id);
    view->immutables = std::move(immutables);
    view->version = *version;
    shared_->views = std::make_unique<ViewHolder>(view.release());
    shared_->visible_sequence.store(database_.logs.last_sequence, std::memory_order_release);
    shared_->salvage_losses = database_.losses;
    shared_->torn_bytes_discarded = database_.logs.torn_bytes;
    shared_->records_recovered = database_.logs.records;
    shared_->BalanceMemory();
    return absl::OkStatus();
  }

  // Writes the new epoch: flushed logs, an empty log, a manifest of the whole state, CURRENT.
  absl::StatusOr<std::unique_ptr<DB>> Begin(std::unique_ptr<FileLock> lock) {
    if (shared_->table_store == nullptr) MakeTableStore();
    SILTSTONE_RETURN_IF_ERROR(ShareState({}, /*active_id=*/0));
    if (!database_.secrets_fault.ok() || database_.current.manifest.number == 0) {
      SILTSTONE_RETURN_IF_ERROR(
          WriteSecretRing(*shared_->file_system, shared_->path, database_.secrets));
    }
    absl::StatusOr<JobResult> flushed =
        RunFlush(*shared_->table_store, *shared_->versions->current(), database_.logs.memtables,
                 /*snapshots=*/{});
    if (!flushed.ok()) return flushed.status();
    VersionEdit edit = std::move(flushed->edit);
    edit.epoch = shared_->epoch;
    edit.last_sequence = database_.logs.last_sequence;
    edit.comparator_name = std::string(options().comparator->name());
    edit.table_options =
        RecordedTableOptions{.filter_kind = options().filter_kind,
                             .bloom_filter_fp_chance = options().bloom_filter_fp_chance,
                             .compression = options().compression,
                             .filter_allocation = options().filter_allocation};
    for (const ManifestLog& old_log : database_.state.logs) {
      edit.logs_retired.push_back({old_log.epoch, old_log.number});
    }
    // A new database has its CURRENT before its first log: a log without CURRENT is always a loss.
    const bool is_new = database_.current.manifest.number == 0;
    if (is_new) {
      SILTSTONE_RETURN_IF_ERROR(shared_->versions->Install(edit, {}, [](const auto&) {}));
      edit = VersionEdit();
    }
    std::unique_ptr<LogWriter> log;
    if (options().durability != Durability::kNone) {
      absl::StatusOr<std::unique_ptr<LogWriter>> created = CreateWal(*shared_, {});
      if (!created.ok()) return created.status();
      log = *std::move(created);
      edit.logs_begun.push_back({shared_->epoch, log->header().number, log->allocated_bytes()});
    }
    const uint64_t memtable_id =
        log != nullptr ? log->header().number : shared_->versions->NewFileNumber();
    SILTSTONE_RETURN_IF_ERROR(shared_->versions->Install(
        edit, flushed->tables, [&](const std::shared_ptr<const Version>& version) {
          shared_->views->Change([&](ReadView* view) {
            view->version = version;
            view->active = std::make_shared<MemTable>(shared_->order, memtable_id);
          });
        }));
    AfterSwitch();
    return std::make_unique<DbImpl>(shared_, std::move(lock), std::move(log));
  }

  void AfterSwitch() {
    for (const std::string& name : FindObsoleteFiles(database_.files, shared_->versions->state(),
                                                     shared_->versions->manifest())) {
      shared_->obsolete_files->Add(name);
    }
    shared_->obsolete_files->Delete();
    if (shared_->logger == nullptr) {
      absl::StatusOr<std::unique_ptr<LogFile>> file = shared_->file_system->CreateLog(
          PathInDirectory(shared_->path, InfoLogFileName(shared_->epoch)), 0);
      // Without it the database works as well.
      if (file.ok()) shared_->logger = std::make_shared<FileLogger>(*std::move(file));
    }
    shared_->Log(LogLevel::kInfo, absl::StrCat("opened ", shared_->path, ", epoch ", shared_->epoch,
                                               ", sequence ", database_.logs.last_sequence));
    ReportFindings();
  }

  // What recovery noticed, for the log and the listener.
  void ReportFindings() {
    std::vector<std::string> findings = database_.losses;
    if (database_.logs.torn_bytes != 0) {
      findings.push_back(absl::StrCat("torn tail of a log discarded: ", database_.logs.torn_bytes,
                                      " bytes, none of them acknowledged as synced"));
    }
    if (!database_.secrets_fault.ok()) {
      findings.push_back(
          absl::StrCat("secrets lost, present tables are read without their filters: ",
                       database_.secrets_fault.message()));
    }
    for (const std::string& finding : findings) {
      shared_->Log(LogLevel::kWarning, finding);
      if (options().listener != nullptr) options().listener->OnDamage(absl::DataLossError(finding));
    }
  }

  std::shared_ptr<DbShared> shared_;
  RecoveredDatabase database_;
  std::vector<std::shared_ptr<Table>> tables_;
  uint64_t next_file_number_ = 1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DB>> DB::Open(const Options& options, std::string_view path) {
  SILTSTONE_RETURN_IF_ERROR(CheckOptions(options));
  if (path.empty()) return absl::InvalidArgumentError("path is empty, must name a directory");
  return Opening(options, path).Run();
}

}  // namespace siltstone
