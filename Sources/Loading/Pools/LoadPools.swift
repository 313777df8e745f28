import BlockingIO

/// The loader's threads that may block. Kinds of work that must not wait for each other have separate pools.
struct LoadPools: Sendable {
    /// Reads of the caches on disk.
    let lookups: BlockingPool
    /// Opens local files: each folder source has two threads, so that a hung disk stops only its own images.
    let files: BlockingPool
    /// Opens originals fetched from origins. They never wait for the disk of a folder source, and local files never
    /// wait for them.
    let fetched: BlockingPool
    /// Writes originals as they arrive.
    let spool: BlockingPool
    /// Stores pyramids and removes failed ones: hundreds of megabytes at a time.
    let pyramids: BlockingPool
    /// Reads originals that are still arriving.
    let readers: BlockingPool
    /// Writes tiles and the list of harmful images.
    let tiles: BlockingPool

    /// - Parameter deadline: How long a load waits for a thread, and how long for its disk.
    init(deadline: Duration) {
        lookups = BlockingPool(label: "cache-reads", threads: 2, deadline: deadline)
        files = BlockingPool(label: "files", threads: 64, threadsPerGroup: 2, deadline: deadline)
        fetched = BlockingPool(label: "fetched", threads: 1, deadline: deadline)
        spool = BlockingPool(label: "spool", threads: 2)
        pyramids = BlockingPool(label: "pyramids", threads: 1)
        readers = BlockingPool(label: "readers", threads: 2)
        tiles = BlockingPool(label: "cache-writes", threads: 1)
    }

    var all: [BlockingPool] { [lookups, files, fetched, spool, pyramids, readers, tiles] }
}
