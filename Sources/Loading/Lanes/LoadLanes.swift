import Renditions

/// All threads of the loader that may block. What must not wait for each other has lanes of its own.
struct LoadLanes: Sendable {
    /// Reads of the caches on disk.
    let lookups: BlockingLane
    /// Opening and inspecting local files.
    let files: BlockingLane
    /// Opening and inspecting originals fetched from origins: never waits for a local disk, nor that for it.
    let fetched: BlockingLane
    /// Writing originals as they arrive.
    let spool: BlockingLane
    /// Reading originals that still arrive.
    let readers: BlockingLane
    /// Writing tiles.
    let tiles: BlockingLane
    let renders: BlockingLane
    /// Progressive JPEGs and very large pictures: one at a time, so that they never hold all places.
    let heavyRenders: BlockingLane

    init(renderThreads: Int, renderer: any Rendering) {
        lookups = BlockingLane(label: "cache-reads", threads: 2)
        // These look into pictures, for which the libraries keep something for each thread.
        let ends: @Sendable () -> Void = { renderer.threadWillEnd() }
        files = BlockingLane(label: "files", threads: 2, threadWillEnd: ends)
        fetched = BlockingLane(label: "fetched", threads: 1, threadWillEnd: ends)
        spool = BlockingLane(label: "spool", threads: 2)
        readers = BlockingLane(label: "readers", threads: 2)
        tiles = BlockingLane(label: "cache-writes", threads: 1)
        renders = BlockingLane(label: "renders", threads: renderThreads, threadWillEnd: ends)
        heavyRenders = BlockingLane(label: "heavy-renders", threads: 1, threadWillEnd: ends)
    }

    var all: [BlockingLane] { [lookups, files, fetched, spool, readers, tiles, renders, heavyRenders] }

    func lane(of lane: LoadMachine.RenderLane) -> BlockingLane {
        switch lane {
        case .ordinary: renders
        case .heavy: heavyRenders
        }
    }
}
