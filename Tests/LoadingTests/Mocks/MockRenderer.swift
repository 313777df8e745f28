import Dispatch
import Glibc
import Images
import Renditions

@testable import Loading

/// Renders nothing: its pictures say which rendition they are of which bytes. Renders can be held at their beginning.
final class MockRenderer: Rendering {
    struct Render: Hashable {
        let rendition: Rendition
        let content: [UInt8]
    }

    private struct State {
        var isHeld = false
        var isProgressive = false
        var failure: RenderError?
        var nextFailure: RenderError?
        var released = 0
    }

    let renders = Recorder<Render>()
    let stops = Recorder<Rendition>()
    private let state = Guarded(State())

    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }
    var isProgressive: Bool {
        get { state.withLock { $0.isProgressive } }
        set { state.withLock { $0.isProgressive = newValue } }
    }
    /// What every render ends with, if anything.
    var failure: RenderError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// What the next render to end ends with.
    var nextFailure: RenderError? {
        get { state.withLock { $0.nextFailure } }
        set { state.withLock { $0.nextFailure = newValue } }
    }

    func inspect(_ source: RenderSource) throws(RenderError) -> Inspection {
        let content = read(source)
        if content.starts(with: Array("<html".utf8)) { throw RenderError(.notAnImage, "This is no picture.") }
        var facts = ImageFacts()
        facts.width = 100
        facts.height = 50
        facts.mediaType = content.starts(with: Array("<svg".utf8)) ? "image/svg+xml" : "image/jpeg"
        return Inspection(facts: facts, isProgressive: isProgressive)
    }

    func render(
        _ source: RenderSource, as rendition: Rendition, format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> Rendered {
        let content = read(source)
        renders.record(Render(rendition: rendition, content: content))
        // Looking again and again is what a real render does between its rows.
        while isHeld {
            if stop.isStopped {
                stops.record(rendition)
                throw RenderError(.stopped, "Stopped.")
            }
            usleep(200)
        }
        if stop.isStopped {
            stops.record(rendition)
            throw RenderError(.stopped, "Stopped.")
        }
        let next = state.withLock { state in
            defer { state.nextFailure = nil }
            return state.nextFailure
        }
        if let failure = next ?? failure { throw failure }
        var facts = ImageFacts()
        facts.placeholder = [1, 2, 3]
        return Rendered(
            bytes: Self.picture(rendition, format, of: content), format: format, width: 10, height: 5, facts: facts)
    }

    static func picture(_ rendition: Rendition, _ format: OutputFormat, of content: [UInt8]) -> [UInt8] {
        Array("\(rendition.rawValue) \(format.rawValue) ".utf8) + content.prefix(64)
    }

    private func read(_ source: RenderSource) -> [UInt8] {
        switch source {
        case .bytes(let bytes): return bytes
        case .descriptor(let number):
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = pread(number, &buffer, buffer.count, 0)
            return Array(buffer.prefix(max(0, count)))
        }
    }
}
