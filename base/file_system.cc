#include "siltstone/file_system.h"

namespace siltstone {

void RandomAccessFile::ReadBatch(std::span<ReadRequest> requests) const {
  for (ReadRequest& request : requests) request.status = Read(request.offset, request.out);
}

}  // namespace siltstone
