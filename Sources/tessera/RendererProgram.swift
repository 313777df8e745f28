import ArgumentParser
import Foundation
import Logging
import RenderWorkers
import Renditions

/// The render workers' program, which is installed beside this one.
enum RendererProgram {
    private static let name = "tessera-renderer"

    /// - Throws: `ValidationError` if the program is missing or a setting is out of range.
    static func pool(_ configuration: RenderPool.Configuration) throws -> RenderPool {
        var configuration = configuration
        configuration.logger = Logger(label: "tessera.rendering")
        do {
            return try RenderPool(configuration: configuration, program: try find())
        } catch let error as RenderLimits.Invalid {
            throw ValidationError("The render worker setting \(error.field) is out of range.")
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
