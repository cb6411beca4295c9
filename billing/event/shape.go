package event

// Shape is one of the two forms in which an event is sent to an app. The interface specification shows both.
type Shape string

// The shapes.
const (
	ShapeA Shape = "A" // {"event", "data", "timestamp"}
	ShapeB Shape = "B" // {"id", "object": "event", "type", "created", "data": {"object"}}
)

// Shapes returns both.
func Shapes() []Shape { return []Shape{ShapeA, ShapeB} }
