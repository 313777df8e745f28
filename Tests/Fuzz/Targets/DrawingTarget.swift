@testable import Decoding

/// The beginning of a vector drawing: another frame takes the place of its own, and nothing else changes.
enum DrawingTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let prolog = XMLProlog(input[...]) else { return }
        precondition(prolog.declarationEnd <= prolog.rootAttributes.lowerBound && !prolog.rootName.isEmpty)
        let attributes = input[prolog.rootAttributes]
        let frame = DrawingFrame(attributes)
        if let size = frame.size { precondition(size.width > 0 && size.height > 0) }
        let changed = DrawingFrame(frame.attributes(attributes, width: 3, height: 4, natural: (30, 40))[...])
        precondition(changed.width == 3 && changed.height == 4 && changed.viewBox == frame.viewBox ?? [0, 0, 30, 40])
    }
}
