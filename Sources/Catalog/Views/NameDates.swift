import Glibc
import Time

/// Dates taken from the names of images, where nothing else tells when they were taken. Templates have none: their
/// names are consecutive numbers.
struct NameDates {
    /// Nil if names are not used.
    private let latestYear: Int?

    /// - Parameter isOn: Whether names are used.
    init(isOn: Bool) {
        // A camera's clock may be ahead, but not by years.
        latestYear = isOn ? CivilDay(ofSecond: Int64(time(nil))).year + 1 : nil
    }

    /// The date in a name, as `ImageMetadata.takenAt` has it; nil if there is none.
    func takenAt(in name: String) -> String? {
        latestYear.flatMap { PictureTime(fileName: name, through: $0)?.text }
    }
}
