import Glibc

/// A background, different for each number: layers of hills under a sky with a sun or moon. Colours are computed per
/// row and shapes per column, so that a pixel costs only a few additions.
struct Scenery {
    private var random: RandomNumbers
    private let hue: Float
    private let isNight: Bool
    private let style: Style

    private enum Style: CaseIterable {
        case mountains
        case dunes
        case sea
    }

    init(number: Int, seed: UInt64) {
        random = RandomNumbers(seed, UInt64(number), 1)
        // The golden ratio puts the hues of neighbours far apart.
        hue = (Float(number % 1_000_003) * 0.618_034 + random.unit() * 0.08).truncatingRemainder(dividingBy: 1)
        isNight = random.unit() < 0.25
        style = Style.allCases[Int(random.next() % 3)]
    }

    mutating func draw(on canvas: inout Canvas) {
        let accent = hue + random.between(0.06, 0.16) * (random.unit() < 0.5 ? -1 : 1)
        let zenith =
            isNight
            ? Colour(lightness: 0.22, chroma: 0.07, hue: hue) : Colour(lightness: 0.58, chroma: 0.13, hue: hue)
        let horizon =
            isNight
            ? Colour(lightness: 0.50, chroma: 0.11, hue: accent) : Colour(lightness: 0.90, chroma: 0.08, hue: accent)
        drawSky(on: &canvas, zenith, horizon)
        if isNight { drawStars(on: &canvas) }
        drawDisc(on: &canvas, horizon)
        drawLayers(on: &canvas, horizon)
    }

    private func drawSky(on canvas: inout Canvas, _ zenith: Colour, _ horizon: Colour) {
        let width = canvas.width
        let height = Float(canvas.height)
        canvas.drawRows(0..<canvas.height) { row, pixels in
            let depth = min(Float(row) / (height * 0.62), 1)
            let paint = Paint(zenith.mixed(with: horizon, depth * depth * (3 - 2 * depth)))
            for column in 0..<width { paint.put(at: pixels + column * 3) }
        }
    }

    private mutating func drawStars(on canvas: inout Canvas) {
        let size = max(1, min(canvas.width, canvas.height) / 300)
        for _ in 0..<70 {
            let column = Int(random.unit() * Float(canvas.width))
            let row = Int(random.unit() * random.unit() * Float(canvas.height) * 0.6)
            let paint = Paint(Colour(0xfff8e7))
            let share = Int32(random.between(60, 230))
            let width = canvas.width
            canvas.drawRows(row..<row + size) { _, pixels in
                for column in column..<min(column + size, width) { paint.blend(at: pixels + column * 3, share) }
            }
        }
    }

    /// The sun or moon with its glow.
    private mutating func drawDisc(on canvas: inout Canvas, _ horizon: Colour) {
        let unit = Float(min(canvas.width, canvas.height))
        let radius = unit * random.between(0.07, 0.15)
        let glow = radius * 2.6
        let x = Float(canvas.width) * random.between(0.15, 0.85)
        let y = Float(canvas.height) * random.between(0.12, 0.42)
        let colour =
            isNight ? Colour(0xfdf6e3) : horizon.mixed(with: Colour(0xfffdf0), random.between(0.55, 0.95))
        let paint = Paint(colour)
        let columns = Range(uncheckedBounds: (Int(x - glow), Int(x + glow) + 1)).clamped(to: 0..<canvas.width)
        canvas.drawRows(max(0, Int(y - glow))..<max(0, Int(y + glow) + 1)) { row, pixels in
            let dy = Float(row) + 0.5 - y
            for column in columns {
                let dx = Float(column) + 0.5 - x
                let distance = (dx * dx + dy * dy).squareRoot()
                guard distance < glow else { continue }
                let edge = min(max(radius - distance + 0.5, 0), 1)
                let fade = 1 - distance / glow
                paint.blend(at: pixels + column * 3, Int32(max(edge, fade * fade * 0.55) * 256))
            }
        }
    }

    private mutating func drawLayers(on canvas: inout Canvas, _ horizon: Colour) {
        let count = 4
        let layerHue = hue + random.between(-0.12, 0.12)
        let dark = Colour(
            lightness: isNight ? 0.16 : random.between(0.26, 0.36), chroma: 0.09, hue: layerHue)
        for layer in 0..<count {
            let nearness = Float(layer + 1) / Float(count)
            let colour = horizon.mixed(with: dark, 0.25 + 0.72 * nearness)
            let tops = ridge(layer: layer, nearness: nearness, width: canvas.width, height: canvas.height)
            let next = horizon.mixed(with: dark, 0.12 + 0.6 * nearness)
            drawLayer(on: &canvas, tops, from: colour, to: next)
        }
    }

    /// The upper edge of the layer in each column, in pixels from the top.
    private mutating func ridge(layer: Int, nearness: Float, width: Int, height: Int) -> [Float] {
        let base = Float(height) * (0.44 + 0.34 * nearness + random.between(-0.03, 0.03))
        let swing = Float(height) * random.between(0.05, 0.11) * (1.25 - 0.6 * nearness)
        let waves = (0..<5).map { octave -> (frequency: Float, phase: Float, share: Float) in
            let scale = powf(2, Float(octave))
            return (
                scale * random.between(0.8, 1.6), random.unit() * 2 * .pi, 1 / powf(scale, style == .dunes ? 1.6 : 1)
            )
        }
        return (0..<width).map { column in
            let x = Float(column) / Float(max(width, height)) * 2 * .pi
            var sum: Float = 0
            for wave in waves {
                let value = sinf(x * wave.frequency + wave.phase)
                switch style {
                case .mountains: sum += (1 - 2 * abs(value)) * wave.share
                case .dunes: sum += value * wave.share
                case .sea: sum += value * wave.share * 0.35
                }
            }
            return base - swing * sum
        }
    }

    private func drawLayer(on canvas: inout Canvas, _ tops: [Float], from upper: Colour, to lower: Colour) {
        let width = canvas.width
        let height = canvas.height
        guard let first = tops.min(), first < Float(height) else { return }
        let start = max(0, Int(first))
        let span = Float(max(1, height - start))
        tops.withUnsafeBufferPointer { tops in
            canvas.drawRows(start..<height) { row, pixels in
                let paint = Paint(upper.mixed(with: lower, Float(row - start) / span))
                let top = Float(row) + 1
                for column in 0..<width {
                    let cover = top - tops[column]
                    if cover >= 1 {
                        paint.put(at: pixels + column * 3)
                    } else if cover > 0 {
                        paint.blend(at: pixels + column * 3, Int32(cover * 256))
                    }
                }
            }
        }
    }
}
