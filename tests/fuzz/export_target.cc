#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"
#include "tools/export_format.h"
#include "tools/input.h"
#include "tools/output.h"

namespace siltstone::fuzz {

namespace {

// A file without a name, with a path.
class MemoryDescriptor {
 public:
  MemoryDescriptor() : fd_(memfd_create("siltstone-fuzz", MFD_CLOEXEC)) {
    Expect(fd_ >= 0, "a file in memory can be had");
  }
  ~MemoryDescriptor() { close(fd_); }
  MemoryDescriptor(const MemoryDescriptor&) = delete;
  MemoryDescriptor& operator=(const MemoryDescriptor&) = delete;

  int fd() const { return fd_; }
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }
  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      Expect(written > 0, "a file in memory is written");
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  const int fd_;
};

void Run(const std::string& input) {
  MemoryDescriptor in, out;
  in.Write(input);
  const auto source = tools::Input::Open(in.path());
  Expect(source.ok(), "a file in memory opens");
  const auto reader = tools::NewExportReader(**source);
  tools::Output output(out.fd());
  tools::ExportWriter writer(output);
  tools::Record record;
  absl::StatusOr<bool> more = false;
  while ((more = reader->Next(&record)).ok() && *more) writer.Add(record.key, record.value);
  if (!more.ok()) return Expect(!more.status().message().empty(), "a refusal says why");
  writer.Finish();
  Expect(output.Flush().ok(), "a file in memory is written");
  const auto written = tools::Input::Open(out.path());
  std::string bytes;
  Expect(written.ok() && (*written)->ReadAll(&bytes).ok() && bytes == input,
         "an accepted export is the one that its records make");
}

std::string MakeExport(int records) {
  MemoryDescriptor out;
  tools::Output output(out.fd());
  tools::ExportWriter writer(output);
  for (int i = 0; i < records; ++i) {
    writer.Add(absl::StrCat("key", i), std::string(static_cast<size_t>(i) * 40, '\n'));
  }
  writer.Finish();
  std::string bytes;
  const bool flushed = output.Flush().ok();
  const auto written = tools::Input::Open(out.path());
  Expect(flushed && written.ok() && (*written)->ReadAll(&bytes).ok(), "an export is made");
  return bytes;
}

std::vector<std::string> MakeSeeds() { return {MakeExport(0), MakeExport(1), MakeExport(9)}; }

}  // namespace

// Its reader has a buffer of 64 KiB.
const FuzzTarget kExportTarget = {.name = "export",
                                  .run = Run,
                                  .make_seeds = MakeSeeds,
                                  .reseal = ResealExport,
                                  .allocation_factor = 64};

}  // namespace siltstone::fuzz
