package activities

// RecordingTime is for tests of deadlines.
const RecordingTime = recordingTime
