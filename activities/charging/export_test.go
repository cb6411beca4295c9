package charging

// RecordingTime is for tests of deadlines.
const RecordingTime = recordingTime
