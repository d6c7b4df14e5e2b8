#include "tools/verbs_damage.h"

#include <stdio.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "siltstone/repair.h"

#include "tools/bytes_text.h"
#include "tools/report_form.h"

namespace siltstone::tools {
namespace {

// ---- verify

void AddVerifyOptions(CLI::App& app, Arguments& arguments) {
  app.add_flag("--deep", arguments.deep,
               "also read every key by every way there is, and compare the answers");
}

absl::Status Disagreement(std::string_view key, const std::string& what) {
  return absl::DataLossError("the ways to read disagree about key " + EscapeField(key) + ": " +
                             what);
}

// One entry by key: from its table or memtable, past its filters.
absl::Status CheckPointRead(DB& db, std::string_view key, std::string_view value) {
  if (!db.MayContain(key)) return Disagreement(key, "a filter denies it, a scan finds it");
  const DB::GetResult result = db.Get(key, {.fill_cache = false});
  if (!result.ok()) return result.status();
  if (!result->has_value()) return Disagreement(key, "get does not find it, a scan does");
  if ((*result)->view() != value) return Disagreement(key, "get and scan have other values");
  return absl::OkStatus();
}

// Every entry forwards, by key, and backwards beside a second walk. The count, or the first disagreement.
absl::StatusOr<uint64_t> CompareReads(DB& db) {
  const Snapshot snapshot = db.GetSnapshot();
  const ReadOptions options = {.snapshot = &snapshot, .fill_cache = false};
  const std::unique_ptr<Iterator> forward = db.NewIterator(options);
  const std::unique_ptr<Iterator> seeker = db.NewIterator(options);
  uint64_t count = 0;
  std::string previous;
  for (forward->SeekToFirst(); forward->Valid(); forward->Next()) {
    const std::string_view key = forward->key();
    if (absl::Status status = CheckPointRead(db, key, forward->value()); !status.ok()) {
      return status;
    }
    // One step back from here is the entry before.
    seeker->SeekForPrev(key);
    if (!seeker->Valid() || seeker->key() != key || seeker->value() != forward->value()) {
      return seeker->status().ok() ? Disagreement(key, "a seek does not find it, a scan does")
                                   : seeker->status();
    }
    seeker->Prev();
    if (!seeker->status().ok()) return seeker->status();
    if (seeker->Valid() ? count == 0 || seeker->key() != previous : count != 0) {
      return Disagreement(key, "another entry stands before it when read backwards");
    }
    previous = key;
    ++count;
  }
  if (!forward->status().ok()) return forward->status();
  return count;
}

Verdict RunVerify(VerbContext& context) {
  DB& db = context.session.db();
  if (const absl::Status status = db.VerifyChecksums(); !status.ok()) {
    return Verdict::Failed(status);
  }
  const Statistics statistics = db.GetStatistics();
  uint64_t bytes = 0;
  for (const TableStatistics& table : statistics.tables) bytes += table.size_bytes;
  Facts facts = {{"verdict", Cell::Text("whole")},
                 {"tables", Cell::Count(statistics.tables.size())},
                 {"table_bytes", Cell::Size(bytes)},
                 {"unusable_filters", Cell::Count(statistics.filters_unusable)}};
  if (context.arguments.deep) {
    const absl::StatusOr<uint64_t> entries = CompareReads(db);
    if (!entries.ok()) return Verdict::Failed(entries.status());
    facts.emplace_back("entries_compared", Cell::Count(*entries));
  }
  WriteFacts(context.output, ReportFormat(context), facts);
  return Verdict::Yes();
}

// ---- repair

void AddRepairOptions(CLI::App& app, Arguments& arguments) {
  app.add_flag("--apply", arguments.apply, "write the new database; without it nothing is written");
}

std::vector<Facts> LossFacts(const RepairReport& report) {
  std::vector<Facts> losses;
  for (const RepairLoss& loss : report.losses) {
    losses.push_back({{"loss", Cell::Count(losses.size() + 1)},
                      {"first_key", loss.keys ? Cell::Bytes(loss.keys->first) : Cell::Nothing()},
                      {"last_key", loss.keys ? Cell::Bytes(loss.keys->last) : Cell::Nothing()},
                      {"what", Cell::Text(loss.what)}});
  }
  return losses;
}

Verdict RunRepair(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  const std::string& from = context.session.path();
  if (from.empty()) {
    return Verdict::Usage("no database named", "give it by -d PATH or in $KVTOOL_DB");
  }
  const std::string to = arguments.operands.empty() ? from + "-repaired" : arguments.operands[0];
  // It is read whole, by nobody else: a session that has it open lets go first.
  if (Verdict closed = context.session.Close(); closed.failed()) return closed;
  const Options options = context.session.OptionsFor(from);
  const absl::StatusOr<RepairReport> report =
      arguments.apply ? RepairDatabase(options, from, to) : ExamineDatabase(options, from);
  if (!report.ok()) return Verdict::NotOpened(report.status(), from);
  WriteFactsAndList(context,
                    {{"database", Cell::Bytes(from)},
                     {"manifest", Cell::Text(report->manifest_whole ? "whole" : "lost")},
                     {"tables_read", Cell::Count(report->tables_read)},
                     {"logs_read", Cell::Count(report->logs_read)},
                     {"entries", Cell::Count(report->entries)},
                     {"key_and_value_bytes", Cell::Size(report->key_and_value_bytes)},
                     {"losses", Cell::Count(report->losses.size())},
                     {"written_to", arguments.apply ? Cell::Bytes(to) : Cell::Nothing()}},
                    {"lost", "loss", LossFacts(*report)});
  if (context.says_notes) {
    for (const std::string& note : report->notes) fprintf(stderr, "kvtool: %s\n", note.c_str());
  }
  if (arguments.apply) return Verdict::Yes();
  if (report->losses.empty()) return Verdict::Yes();
  return {ExitCode::kBadData, "the database is damaged; nothing was written",
          "repair --apply writes what is left to " + to};
}

}  // namespace

const Verb& VerifyVerb() {
  static constexpr Verb kVerb = {
      .name = "verify",
      .summary = "read every byte of every live file and check it",
      .details =
          "Checksums, order, counts, key ranges, filters, and the manifest against the files.\n"
          "--deep also compares a scan, reads by key, and a scan backwards, entry by entry.",
      .access = Access::kRead,
      .add_options = AddVerifyOptions,
      .run = RunVerify,
  };
  return kVerb;
}

const Verb& RepairVerb() {
  static constexpr Verb kVerb = {
      .name = "repair",
      .operands = "[NEW]",
      .summary = "save what is left of a damaged database as a new one",
      .details =
          "Tells what survives, and what is lost by key range: such a key may be missing, have an\n"
          "older value, or be back though deleted. With --apply what survives is written to the\n"
          "directory NEW [PATH-repaired]. The damaged database is never changed.",
      .access = Access::kNone,
      .max_operands = 1,
      .add_options = AddRepairOptions,
      .run = RunRepair,
  };
  return kVerb;
}

}  // namespace siltstone::tools
