/// A three by three matrix for colours as columns.
struct ColourMatrix: Hashable, Sendable {
    /// The images of the three unit vectors.
    var first: SIMD3<Double>
    var second: SIMD3<Double>
    var third: SIMD3<Double>

    init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Scales each component.
    init(diagonal: SIMD3<Double>) {
        self.init([diagonal.x, 0, 0], [0, diagonal.y, 0], [0, 0, diagonal.z])
    }

    /// Nil for a matrix without an inverse.
    var inverse: ColourMatrix? {
        let (across, down, ahead) = (Self.cross(second, third), Self.cross(third, first), Self.cross(first, second))
        let determinant = (first * across).sum()
        guard abs(determinant) > 1e-9, determinant.isFinite else { return nil }
        return ColourMatrix(
            [across.x, down.x, ahead.x] / determinant, [across.y, down.y, ahead.y] / determinant,
            [across.z, down.z, ahead.z] / determinant)
    }

    /// Whether colours remain numbers of a usual size.
    var isBounded: Bool { [first, second, third].allSatisfy { $0.min() > -1_000 && $0.max() < 1_000 } }

    static func * (matrix: ColourMatrix, colour: SIMD3<Double>) -> SIMD3<Double> {
        matrix.first * colour.x + matrix.second * colour.y + matrix.third * colour.z
    }

    static func * (left: ColourMatrix, right: ColourMatrix) -> ColourMatrix {
        ColourMatrix(left * right.first, left * right.second, left * right.third)
    }

    private static func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
        [
            left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
            left.x * right.y - left.y * right.x,
        ]
    }
}
