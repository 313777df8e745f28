import Decoding
import Encodings
import Glibc
import Images
import Renditions

/// Runs every decoder and encoder once, so that whatever they load and cache is there before system calls are
/// confined, and the first picture is as fast as the others.
struct WarmUp {
    private let renderer: Renderer

    init(_ renderer: Renderer) {
        self.renderer = renderer
    }

    /// - Returns: The formats that can be encoded.
    /// - Throws: `RenderError` if this build lacks something that every build must have.
    func run() throws(RenderError) -> Set<OutputFormat> {
        var encoders: Set<OutputFormat> = []
        for format in OutputFormat.allCases {
            do throws(RenderError) {
                let work = RenderJob.Work.encode(.init(width: 32, height: 32, format: format, quality: 50))
                let encoded = try make(work, of: Self.grey).encoded?.bytes ?? []
                encoders.insert(format)
                _ = try make(.make([.preview: format]), of: encoded)
            } catch {
                // Debian 13 packages libheif's AVIF encoder and decoders separately.
                if format != .avif { throw error }
            }
        }
        for drawing in Self.drawings { _ = try? make(.make([.preview: .jpeg]), of: Array(drawing.utf8)) }
        _ = try? make(.make([.preview: .jpeg]), of: Self.png)
        _ = try? make(.make([.preview: .jpeg]), of: Self.gif)
        return encoders
    }

    private func make(_ work: RenderJob.Work, of bytes: [UInt8]) throws(RenderError) -> RenderResult {
        guard case .made(let answer) = try renderer.perform(work, on: .bytes(bytes), stop: RenderStop()) else {
            throw RenderError(.failed, "The picture decoder is not available.")
        }
        return answer
    }

    private static let grey = [UInt8](repeating: 128, count: 32 * 32 * 3)

    /// A single pixel.
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
        8, 0,
        0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x68, 0, 0, 0, 0x82,
        0, 0x81,
        0x77, 0xcd, 0x72, 0xb6, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ]

    /// A single pixel.
    private static let gif: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0, 1, 0, 1,
        0, 0, 2,
        2, 0x44, 1, 0, 0x3b,
    ]

    /// Text in each generic font family, and pictures in the formats that a drawing may embed.
    private static let drawings: [String] = {
        let start = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'>"
        let text = ["sans-serif", "serif", "monospace"].map {
            "<text y='20' font-family='\($0)'>Tessera Ж 漢 ع</text>"
        }.joined()
        let pictures = [("png", png), ("gif", gif)].map {
            "<image width='9' height='9' href='data:image/\($0.0);base64,\(Base64.standard.encode($0.1))'/>"
        }.joined()
        return [start + text + pictures + "</svg>"]
    }()
}
