import Glibc

/// The digits as strokes in a box 0.6 wide and 1 high, with y pointing down.
enum Digits {
    struct Stroke {
        let from: SIMD2<Float>
        let to: SIMD2<Float>
    }

    static let width: Float = 0.6
    /// Half the thickness of a stroke.
    static let radius: Float = 0.085

    /// The strokes of each digit, from 0 to 9.
    static let strokes: [[Stroke]] = [
        arc(0.3, 0.5, 0.24, 0.44, 0, 360),
        line((0.12, 0.22), (0.34, 0.06), (0.34, 0.94)),
        arc(0.3, 0.3, 0.23, 0.24, 180, 395) + line((0.488, 0.438), (0.08, 0.94), (0.54, 0.94)),
        arc(0.28, 0.28, 0.22, 0.22, 200, 450) + arc(0.28, 0.72, 0.25, 0.22, 270, 515),
        line((0.42, 0.94), (0.42, 0.06), (0.06, 0.68), (0.56, 0.68)),
        line((0.5, 0.06), (0.13, 0.06), (0.1, 0.47)) + arc(0.28, 0.66, 0.25, 0.28, 224, 510),
        six,
        line((0.06, 0.06), (0.54, 0.06), (0.22, 0.94)),
        arc(0.3, 0.28, 0.2, 0.22, 0, 360) + arc(0.3, 0.72, 0.24, 0.22, 0, 360),
        // A six, rotated by 180 degrees.
        six.map { Stroke(from: SIMD2(0.6, 1) - $0.from, to: SIMD2(0.6, 1) - $0.to) },
    ]

    private static let six = arc(0.3, 0.68, 0.24, 0.26, 0, 360) + arc(0.56, 0.68, 0.5, 0.64, 180, 256)

    private static func line(_ points: (Float, Float)...) -> [Stroke] {
        zip(points, points.dropFirst()).map { from, to in
            Stroke(from: SIMD2(from.0, from.1), to: SIMD2(to.0, to.1))
        }
    }

    /// Angles in degrees, clockwise from the right.
    private static func arc(
        _ x: Float, _ y: Float, _ radiusX: Float, _ radiusY: Float, _ start: Float, _ end: Float
    ) -> [Stroke] {
        let steps = max(2, Int((end - start) / 20))
        let points = (0...steps).map { step -> SIMD2<Float> in
            let angle = (start + (end - start) * Float(step) / Float(steps)) * .pi / 180
            return SIMD2(x + radiusX * cosf(angle), y + radiusY * sinf(angle))
        }
        return zip(points, points.dropFirst()).map(Stroke.init)
    }
}
