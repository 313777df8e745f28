/// All threads of the loader that may block. What must not wait for each other has lanes of its own.
struct LoadLanes: Sendable {
    /// Reads of the caches on disk.
    let lookups: BlockingLane
    /// Opening local files: each folder source has two threads, so that a disk which hangs stops its own pictures alone.
    let files: BlockingLane
    /// Opening originals fetched from origins: never waits for a local disk, nor that for it.
    let fetched: BlockingLane
    /// Writing originals as they arrive.
    let spool: BlockingLane
    /// Keeping pyramids, and removing those that come to nothing: hundreds of megabytes at a time.
    let pyramids: BlockingLane
    /// Reading originals that still arrive.
    let readers: BlockingLane
    /// Writing tiles, and which pictures are harmful.
    let tiles: BlockingLane

    init() {
        lookups = BlockingLane(label: "cache-reads", threads: 2)
        files = BlockingLane(label: "files", threads: 64, threadsPerGroup: 2)
        fetched = BlockingLane(label: "fetched", threads: 1)
        spool = BlockingLane(label: "spool", threads: 2)
        pyramids = BlockingLane(label: "pyramids", threads: 1)
        readers = BlockingLane(label: "readers", threads: 2)
        tiles = BlockingLane(label: "cache-writes", threads: 1)
    }

    var all: [BlockingLane] { [lookups, files, fetched, spool, pyramids, readers, tiles] }
}
