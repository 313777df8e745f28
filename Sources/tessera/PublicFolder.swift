import ArgumentParser
import Foundation

/// Finds the browser front: the given folder, the built front beside the program, or the plain modules of the checkout
/// that the program was built in.
enum PublicFolder {
    static func find(named name: String?) throws -> String {
        if let name {
            guard holdsFront(name) else {
                throw ValidationError(
                    "\(name) does not hold the browser front (no index.html in it). Name its folder with --public.")
            }
            return name
        }
        guard let found = candidates().first(where: holdsFront) else {
            throw ValidationError("The browser front was not found beside the program. Name its folder with --public.")
        }
        return found
    }

    /// `../share/tessera/front` relative to an installed program, `front` beside the program, where `Scripts/build` puts
    /// it, `Public` in the current folder, and `Public` in each folder above the program.
    private static func candidates() -> [String] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        var all = ["../share/tessera/front", "front"].map { folder.appendingPathComponent($0).standardizedFileURL.path }
        all.append("Public")
        while folder.path != "/" {
            all.append(folder.appendingPathComponent("Public").path)
            folder.deleteLastPathComponent()
        }
        return all
    }

    private static func holdsFront(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/index.html")
    }
}
