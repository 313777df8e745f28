/// Reports failed allocations, and clears all memory before it is handed out. A decoder whose allocation fails may carry
/// on and draw a blank picture without any error; and one that leaves out some pixels, as libheif does where the cells of
/// a grid do not cover it, would send what another picture has left behind.
///
/// Linking this into an executable replaces the allocation functions of the whole process, shared libraries included
/// (https://sourceware.org/glibc/manual/latest/html_node/Replacing-malloc.html), by functions that call glibc's own
/// and check the result. Under the address, memory and thread sanitizers, which replace the same functions, it does
/// nothing.
#ifndef CMEMORYWATCH_H
#define CMEMORYWATCH_H

#include <stddef.h>

/// Calls `refused` whenever an allocation of `bytes` (more than 0) fails, on the allocating thread, before the
/// allocation returns. `bytes` is `SIZE_MAX` if count times size overflows. Failures of `refused`'s own allocations
/// are not reported. It must not wait for locks that an allocating thread may hold, nor unwind. NULL ends the reports.
void cmemorywatch_start(void (*refused)(size_t bytes));

#endif
