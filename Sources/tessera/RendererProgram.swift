import ArgumentParser
import Foundation
import Logging
import RenderWorkers
import Renditions

/// The render workers' program, which lies beside this one.
enum RendererProgram {
    private static let name = "tessera-renderer"

    /// - Throws: `ValidationError` when the program is not there, or a setting is out of its bounds.
    static func pool(_ configuration: RenderPool.Configuration) throws -> RenderPool {
        var configuration = configuration
        configuration.logger = Logger(label: "tessera.rendering")
        do {
            return try RenderPool(configuration: configuration, program: try find())
        } catch let error as RenderLimits.Invalid {
            throw ValidationError("The setting \(error.field) of the render workers is out of its bounds.")
        }
    }

    private static func find() throws -> String {
        if let named: String = try Environment.value("renderer") { return named }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError("\(name), which decodes the pictures, was not found beside the program at \(path).")
        }
        return path
    }
}
