// SILTSTONE_EXPORT marks what the shared library exports; everything else in it is hidden.
//
//   class SILTSTONE_EXPORT DB { ... };
//
// Usable from C.

#ifndef SILTSTONE_EXPORT_H_
#define SILTSTONE_EXPORT_H_

#if defined(__GNUC__) || defined(__clang__)
#define SILTSTONE_EXPORT __attribute__((visibility("default")))
#else
#define SILTSTONE_EXPORT
#endif

#endif  // SILTSTONE_EXPORT_H_
