import Renditions

/// A picture that shows its number to people and to machines.
struct NumberedPicture: Hashable, Sendable {
    let number: Int
    let width: Int
    let height: Int

    /// The allowed range of the width and height, in pixels.
    static let sides = 16...4096

    /// Nil if the number or size is out of range.
    init?(number: Int, width: Int, height: Int) {
        guard (0..<NumberMosaic.limit).contains(number), NumberedPicture.sides.contains(width),
            NumberedPicture.sides.contains(height)
        else { return nil }
        self.number = number
        self.width = width
        self.height = height
    }

    /// The picture in its own size: as in a camera roll, most are landscape, some portrait, and a few square.
    init?(number: Int, seed: UInt64) {
        var random = RandomNumbers(seed, UInt64(bitPattern: Int64(number)), 2)
        let sizes = [(800, 600), (840, 560), (800, 600), (768, 512), (600, 800), (560, 840), (680, 680), (800, 500)]
        let size = sizes[Int(random.next() % UInt64(sizes.count))]
        self.init(number: number, width: size.0, height: size.1)
    }

    func drawn(seed: UInt64) -> Canvas {
        var canvas = Canvas(width: width, height: height)
        var scenery = Scenery(number: number, seed: seed)
        scenery.draw(on: &canvas)
        Lettering(number).draw(on: &canvas, share: NumberMosaic.top)
        NumberMosaic.draw(number, on: &canvas)
        return canvas
    }

    /// Encodes the picture as a JPEG file. Blocks while drawing.
    func encode(
        seed: UInt64, with encoder: any PixelEncoding,
        deliver: @escaping @Sendable (Result<[UInt8], RenderError>) -> Void
    ) {
        encoder.encode(drawn(seed: seed).bytes, width: width, height: height, as: .jpeg, quality: 82, deliver: deliver)
    }
}
