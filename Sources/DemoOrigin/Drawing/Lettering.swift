/// A number drawn large, in white with a soft shadow.
struct Lettering {
    private let digits: [Int]
    private let spacing: Float = 0.16

    init(_ number: Int) {
        digits = String(max(0, number)).utf8.map { Int($0) - 48 }
    }

    /// Centres the number in the upper `share` of the picture.
    func draw(on canvas: inout Canvas, share: Float) {
        let area = SIMD2(Float(canvas.width), Float(canvas.height) * share)
        let units = Float(digits.count) * (Digits.width + spacing) - spacing
        let size = min(area.y * 0.42, area.x * 0.78 / units, area.x * 0.34)
        guard size >= 4 else { return }
        let origin = SIMD2((area.x - units * size) / 2, (area.y - size) / 2)
        let shadow = size * 0.09
        let margin = Digits.radius * size + shadow + 2
        let left = max(0, Int(origin.x - margin))
        let top = max(0, Int(origin.y - margin))
        let width = min(canvas.width, Int(origin.x + units * size + margin)) - left
        let height = min(canvas.height, Int(origin.y + size + margin)) - top
        guard width > 0, height > 0 else { return }

        // The distance from each pixel to the nearest stroke, up to `margin`.
        var distances = [Float](repeating: .infinity, count: width * height)
        for (position, digit) in digits.enumerated() {
            let offset = origin + SIMD2(Float(position) * (Digits.width + spacing) * size, 0)
            for stroke in Digits.strokes[digit] {
                let corner = SIMD2(Float(left), Float(top))
                Lettering.measure(
                    from: offset + stroke.from * size - corner, to: offset + stroke.to * size - corner, reach: margin,
                    &distances, width, height)
            }
        }
        paint(on: &canvas, distances, left: left, top: top, width: width, height: height, size: size, shadow: shadow)
    }

    private func paint(
        on canvas: inout Canvas, _ distances: [Float], left: Int, top: Int, width: Int, height: Int, size: Float,
        shadow: Float
    ) {
        let radius = Digits.radius * size
        let white = Paint(Colour(0xffffff))
        let dark = Paint(Colour(0x0b1020))
        distances.withUnsafeBufferPointer { distances in
            canvas.drawRows(top..<top + height) { row, pixels in
                for column in 0..<width {
                    let distance = distances[(row - top) * width + column] - radius
                    guard distance < shadow else { continue }
                    let pixel = pixels + (left + column) * 3
                    let fade = 1 - max(0, distance) / shadow
                    dark.blend(at: pixel, Int32(fade * fade * 105))
                    let cover = min(max(0.5 - distance, 0), 1)
                    if cover > 0 { white.blend(at: pixel, Int32(cover * 256)) }
                }
            }
        }
    }

    private static func measure(
        from start: SIMD2<Float>, to end: SIMD2<Float>, reach: Float, _ distances: inout [Float], _ width: Int,
        _ height: Int
    ) {
        let low = pointwiseMin(start, end) - reach
        let high = pointwiseMax(start, end) + reach
        let columns = max(0, Int(low.x))..<max(0, min(width, Int(high.x) + 1))
        let rows = max(0, Int(low.y))..<max(0, min(height, Int(high.y) + 1))
        let along = end - start
        let length = max((along * along).sum(), 1e-6)
        distances.withUnsafeMutableBufferPointer { distances in
            for row in rows {
                for column in columns {
                    let x = Float(column) + 0.5 - start.x
                    let y = Float(row) + 0.5 - start.y
                    let t = min(max((x * along.x + y * along.y) / length, 0), 1)
                    let dx = x - t * along.x
                    let dy = y - t * along.y
                    let distance = (dx * dx + dy * dy).squareRoot()
                    let index = row * width + column
                    if distance < distances[index] { distances[index] = distance }
                }
            }
        }
    }
}
