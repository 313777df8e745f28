import Images
import Renditions
import Testing

@Suite(.serialized) struct OutputFormatTests {
    @Test(
        arguments: [
            (nil, .jpeg),
            ("", .jpeg),
            ("*/*", .jpeg),
            ("image/*", .jpeg),
            ("image/*,*/*;q=0.8", .jpeg),
            ("text/html", .jpeg),
            // Chromium, Firefox, Safari.
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .avif),
            ("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", .avif),
            ("image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,*/*;q=0.5", .avif),
            ("image/webp,*/*", .webp),
            ("IMAGE/WebP , */*;q=0.1", .webp),
            ("image/avif;q=0,image/webp", .webp),
            ("image/avif;q=0.5,image/webp;q=0.6", .webp),
            ("image/avif;q=0.5,*/*", .jpeg),
            ("image/jpeg;q=0,image/avif;q=0.001", .avif),
            ("image/avif;q=1.1,image/webp;q=1.000", .webp),
            ("image/avif;q=0.1234", .jpeg),
            ("image/avif;q=,image/avif;q=x,image/avif;q=-1", .jpeg),
            ("image/avif; Q=0.9; x=y", .avif),
            (";;,,/,q=1,image/", .jpeg),
        ] as [(String?, OutputFormat)])
    func `the Accept header decides the format of a tile`(accept: String?, format: OutputFormat) {
        #expect(OutputFormat.negotiate(accept: accept, for: .tile) == format)
    }

    @Test func `among equally acceptable formats each rendition takes the best one for its size`() {
        let chromium = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
        #expect(OutputFormat.negotiate(accept: chromium, for: .preview) == .webp)
        #expect(OutputFormat.negotiate(accept: chromium, for: .tile) == .avif)
        #expect(OutputFormat.negotiate(accept: chromium, for: .screen) == .webp)
        #expect(OutputFormat.negotiate(accept: "image/avif", for: .preview) == .avif)
        #expect(OutputFormat.negotiate(accept: "image/avif,image/*", for: .preview) == .jpeg)
    }

    @Test func `AVIF is not offered without an encoder`() {
        OutputFormat.setAVIFUnavailable(true)
        defer { OutputFormat.setAVIFUnavailable(false) }
        #expect(OutputFormat.negotiate(accept: "image/avif,image/webp", for: .tile) == .webp)
        #expect(OutputFormat.negotiate(accept: "image/avif,image/*", for: .tile) == .jpeg)
        #expect(OutputFormat.negotiate(accept: "image/avif", for: .screen) == .jpeg)
    }
}
