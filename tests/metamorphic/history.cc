#include "tests/metamorphic/history.h"

#include <utility>

#include "base/random.h"

namespace siltstone {
namespace {

using Kind = Step::Kind;

// Single-threaded.
class HistoryMaker {
 public:
  HistoryMaker(uint64_t seed, bool faults) : random_(seed), faults_(faults) {}

  History Make(size_t count) {
    History history;
    while (history.size() < count) history.push_back(NextStep());
    return history;
  }

 private:
  struct Share {
    Kind kind;
    uint64_t weight;
  };
  static constexpr Share kShares[] = {
      {Kind::kPut, 260},        {Kind::kDelete, 110},  {Kind::kBatch, 50},
      {Kind::kPutIfAbsent, 50}, {Kind::kGet, 130},     {Kind::kMultiGet, 25},
      {Kind::kMayContain, 40},  {Kind::kSnapshot, 15}, {Kind::kOpenIterator, 25},
      {Kind::kMove, 260},       {Kind::kFlush, 12},    {Kind::kCompact, 5},
      {Kind::kVerify, 2},       {Kind::kReopen, 4},    {Kind::kCrash, 4},
      {Kind::kFault, 8}};

  Kind NextKind() {
    uint64_t total = 0;
    for (const Share& share : kShares) total += share.weight;
    uint64_t dice = random_.Uniform(total);
    for (const Share& share : kShares) {
      if (dice < share.weight) return share.kind;
      dice -= share.weight;
    }
    return Kind::kGet;
  }

  Step NextStep() {
    Step step;
    step.kind = NextKind();
    if (step.kind == Kind::kFault && !faults_) step.kind = Kind::kGet;
    step.key = Key();
    step.slot = static_cast<int>(random_.Uniform(kHistorySlots));
    switch (step.kind) {
      case Kind::kPut:
      case Kind::kPutIfAbsent:
        step.value = Value();
        break;
      case Kind::kBatch:
      case Kind::kMultiGet:
        FillEntries(&step);
        break;
      case Kind::kMove:
        step.move = random_.OneIn(4)   ? static_cast<Step::Move>(random_.Uniform(6))
                    : random_.OneIn(2) ? Step::Move::kNext
                                       : Step::Move::kPrev;
        break;
      case Kind::kOpenIterator:
      case Kind::kCompact:
        if (random_.OneIn(3)) step.lower = Key();
        if (random_.OneIn(3)) step.upper = Key();
        if (random_.OneIn(5)) step.prefix = Key().substr(0, 2);
        break;
      case Kind::kFault:
        step.number = 1 + random_.Uniform(40);
        break;
      default:
        step.number = random_.Next();
        break;
    }
    // Most reads are of the present state.
    if ((step.kind == Kind::kGet || step.kind == Kind::kMultiGet) && !random_.OneIn(4)) {
      step.slot = -1;
    }
    return step;
  }

  void FillEntries(Step* step) {
    for (uint64_t left = random_.Uniform(12); left > 0; --left) {
      step->entries.push_back({Key(), random_.OneIn(3) ? std::nullopt : std::optional(Value())});
    }
  }

  // Few, so that each is written often; now and then one at the edges.
  std::string Key() {
    switch (random_.Uniform(40)) {
      case 0:
        return "";
      case 1:
        return std::string(1 + random_.Uniform(2), '\0');
      case 2:
        return std::string(1 + random_.Uniform(9), '\xff');
      case 3:
        return "k" + std::string(300, 'L') + std::to_string(random_.Uniform(5));
      default:
        return "k" + std::to_string(100 + random_.Uniform(80));
    }
  }
  std::string Value() {
    return std::to_string(++values_) + ":" +
           std::string(random_.OneIn(4) ? random_.Uniform(400) : random_.Uniform(20),
                       static_cast<char>('a' + random_.Uniform(26)));
  }

  Random random_;
  const bool faults_;
  uint64_t values_ = 0;
};

// A C++ string literal of any bytes.
std::string Literal(const std::string& bytes) {
  static constexpr char kDigits[] = "01234567";
  std::string text = "std::string(\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
    }
  }
  return text + "\", " + std::to_string(bytes.size()) + ")";
}

std::string OptionalLiteral(const std::optional<std::string>& bytes) {
  return bytes.has_value() ? Literal(*bytes) : "std::nullopt";
}

std::string MoveText(const Step& step) {
  switch (step.move) {
    case Step::Move::kSeekToFirst:
      return "SeekToFirst()";
    case Step::Move::kSeekToLast:
      return "SeekToLast()";
    case Step::Move::kSeek:
      return "Seek(" + Literal(step.key) + ")";
    case Step::Move::kSeekForPrev:
      return "SeekForPrev(" + Literal(step.key) + ")";
    case Step::Move::kNext:
      return "Next()";
    case Step::Move::kPrev:
      return "Prev()";
  }
  return "";
}

std::string BatchText(const Step& step) {
  std::string text = "{ siltstone::WriteBatch batch;";
  for (const Step::Entry& entry : step.entries) {
    text += entry.value.has_value()
                ? " batch.Put(" + Literal(entry.key) + ", " + Literal(*entry.value) + ");"
                : " batch.Delete(" + Literal(entry.key) + ");";
  }
  return text + " (void)db->Write(batch); }";
}

std::string ReadAt(const Step& step) {
  return step.slot < 0 ? "" : ", {.snapshot = &snapshots[" + std::to_string(step.slot) + "]}";
}

std::string StepText(const Step& step) {
  const std::string slot = "[" + std::to_string(step.slot) + "]";
  switch (step.kind) {
    case Kind::kPut:
      return "(void)db->Put(" + Literal(step.key) + ", " + Literal(step.value) + ");";
    case Kind::kDelete:
      return "(void)db->Delete(" + Literal(step.key) + ");";
    case Kind::kBatch:
      return BatchText(step);
    case Kind::kPutIfAbsent:
      return "(void)db->PutIfAbsent(" + Literal(step.key) + ", " + Literal(step.value) + ");";
    case Kind::kGet:
      return "(void)db->Get(" + Literal(step.key) + ReadAt(step) + ");";
    case Kind::kMultiGet: {
      std::string text;
      for (const Step::Entry& entry : step.entries) {
        text += "(void)db->Get(" + Literal(entry.key) + ReadAt(step) + "); ";
      }
      return text + "// as one MultiGet";
    }
    case Kind::kMayContain:
      return "(void)db->MayContain(" + Literal(step.key) + ");";
    case Kind::kSnapshot:
      return "snapshots" + slot + " = db->GetSnapshot();";
    case Kind::kOpenIterator:
      return "iterators" + slot +
             " = db->NewIterator({.lower_bound = " + OptionalLiteral(step.lower) +
             ", .upper_bound = " + OptionalLiteral(step.upper) +
             ", .prefix = " + OptionalLiteral(step.prefix) + "});";
    case Kind::kMove:
      return "iterators" + slot + "->" + MoveText(step) + ";";
    case Kind::kFlush:
      return "(void)db->Flush();";
    case Kind::kCompact:
      return "(void)db->CompactRange(" + OptionalLiteral(step.lower) + ", " +
             OptionalLiteral(step.upper) + ");";
    case Kind::kVerify:
      return "(void)db->VerifyChecksums();";
    case Kind::kReopen:
      return "(void)db->Close(); db = *siltstone::DB::Open(options, path);";
    case Kind::kCrash:
      return "db.reset(); db = *siltstone::DB::Open(options, path);  // after a power cut";
    case Kind::kFault:
      return "// call " + std::to_string(step.number) +
             " on the file system from here on fails; then Resume, and the call again";
  }
  return "";
}

}  // namespace

History MakeHistory(uint64_t seed, size_t count, bool faults) {
  return HistoryMaker(seed, faults).Make(count);
}

std::string ToProgram(const History& history) {
  std::string text;
  for (const Step& step : history) text += "  " + StepText(step) + "\n";
  return text;
}

}  // namespace siltstone
