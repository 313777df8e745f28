public import Metrics

/// Counters of the loader. ``metrics`` describes each of them.
public struct LoadStatistics: Hashable, Sendable {
    public internal(set) var waiting = 0
    public internal(set) var jobs = 0
    public internal(set) var fetches = 0
    public internal(set) var fetchesBegun = 0
    public internal(set) var rendersBegun = 0
    public internal(set) var rendersOfRenditions = 0
    public internal(set) var partialDecodes = 0
    public internal(set) var thumbnails = 0
    public internal(set) var pyramidsKept = 0
    public internal(set) var failures = 0
    public internal(set) var refused = 0
    public internal(set) var memoryHits = 0
    public internal(set) var memoryMisses = 0
    public internal(set) var memoryBytes = 0
    public internal(set) var tileBytes = 0
    public internal(set) var originalBytes = 0
    public internal(set) var pyramidBytes = 0
    public internal(set) var diskHits = 0
    public internal(set) var sharedHits = 0
    public internal(set) var nodeRequests = 0
    public internal(set) var rememberedFailures = 0
    public internal(set) var rememberedHarmful = 0
    /// Why the disk cache cannot be used now; nil if it can. For the log and the operator.
    public internal(set) var cacheProblem: String?
}

extension LoadStatistics: MetricsReporting {
    public static let metrics: [Metric<LoadStatistics>] = [
        .gauge("waiting", "Requests that are waiting for a rendition.", \.waiting),
        .gauge("jobs", "Renditions that are being loaded, however many requests wait for each.", \.jobs),
        .gauge("fetches", "Originals that are being fetched or are queued for a fetch.", \.fetches),
        .counter("fetchesBegun", "Fetches of originals that were started.", \.fetchesBegun),
        .counter("rendersBegun", "Renders that were started.", \.rendersBegun),
        .counter(
            "rendersOfRenditions", "Renders that started from a larger cached rendition instead of the original.",
            \.rendersOfRenditions),
        .counter(
            "partialDecodes", "Attempts to make a preview from the first part of an original that is still arriving.",
            \.partialDecodes),
        .counter(
            "thumbnails", "Previews that were the thumbnails in cameras' files, read without a render worker.",
            \.thumbnails),
        .counter("pyramidsKept", "Pyramids that were made and stored.", \.pyramidsKept),
        .counter("failures", "Loads that failed, each counted once. The log names each image.", \.failures),
        .counter(
            "refused",
            "Loads that were refused with a 503 because too many were pending. Add cores, or admit fewer clients.",
            \.refused),
        .counter("memoryHits", "Renditions found in the memory cache.", \.memoryHits),
        .counter(
            "memoryMisses",
            "Renditions not found in the memory cache. Raise --memory-cache if the disk answers most of them.",
            \.memoryMisses),
        .gauge("memoryBytes", "Bytes of renditions in the memory cache.", \.memoryBytes),
        .gauge("tileBytes", "Bytes of cached tiles and other renditions on disk.", \.tileBytes),
        .gauge("originalBytes", "Bytes of cached originals on disk.", \.originalBytes),
        .gauge("pyramidBytes", "Bytes of pyramids on disk.", \.pyramidBytes),
        .counter("diskHits", "Renditions found in the disk cache.", \.diskHits),
        .counter("sharedHits", "Renditions taken from another node that had made them.", \.sharedHits),
        .counter("nodeRequests", "Renditions made here because another node was waiting for them.", \.nodeRequests),
        .gauge(
            "rememberedFailures", "Failures in the negative cache; such loads are not repeated.", \.rememberedFailures),
        .gauge(
            "rememberedHarmful",
            "Images that twice crashed or outlasted their decoder. They are retried only when a person asks for it.",
            \.rememberedHarmful),
    ]
}
