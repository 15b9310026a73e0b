package event

// Drawing tells how to draw a run. Its zero value leaves the choice to the scene.
type Drawing struct {
	Kind DrawingKind
	// Queue names the znode, below the root, whose children form a queue or wait at a barrier. If empty, that is the
	// root.
	Queue string
	Gate  string // of DrawName and DrawBarrier: the znode, below the root, that all want or wait for
	Taker string // of DrawItems: the role of the clients that take items out
	Shows Datum  // extra data to show because the recipe depends on it
	// Stores lists what clients write to outside ZooKeeper. The picture reserves room for them from the start.
	Stores []StoreDrawing
}

// Datum names data that a picture shows only if the recipe depends on it. Unknown values show nothing.
type Datum string

const (
	ShowTimes Datum = "times" // when each znode was created
	ShowReads Datum = "reads" // what each client read last
	// ShowPatience shows how long each client still waits before it gives up.
	ShowPatience Datum = "patience"
	ShowRoles    Datum = "roles" // which program each client is
)

// StoreDrawing describes a store.
type StoreDrawing struct {
	Name string // empty if unknown before the first write
	Form StoreForm
	// Trays is the number of clients that can use a StoreSheet at a time, each on its own sheet; 0 means one.
	Trays int
}

// StoreForm tells what the writes to a store mean. Unknown forms are drawn as StoreLines.
type StoreForm string

const (
	StoreLines   StoreForm = ""        // lines, one after another
	StoreSheet   StoreForm = "sheet"   // pages: what a client writes while it is inside belongs together
	StoreNumbers StoreForm = "numbers" // numbers, each of which must be given out only once
	StoreValues  StoreForm = "values"  // a value for each client, which replaces the client's previous one
	StoreTasks   StoreForm = "tasks"   // a task's name and its state: TaskOpen, TaskTaken or TaskDone
	// StoreDocument is a single document. A client writes a new version in two halves, FirstHalf and SecondHalf, or
	// copies the current one: ACopy.
	StoreDocument StoreForm = "document"
)

// States of a task. A write to a StoreTasks has the task's name, a space and one of these.
const (
	TaskOpen  = "open"
	TaskTaken = "taken"
	TaskDone  = "done"
)

// Writes to a StoreDocument.
const (
	FirstHalf  = "first half"
	SecondHalf = "second half"
	ACopy      = "a copy"
)

// DrawingKind tells what a picture shows the znodes as. Unknown kinds are drawn as DrawTree.
type DrawingKind string

const (
	DrawTree    DrawingKind = ""        // the znodes as a tree
	DrawQueue   DrawingKind = "queue"   // numbered children form a queue, one for each waiting client
	DrawName    DrawingKind = "name"    // one znode that a single client can have at a time
	DrawBarrier DrawingKind = "barrier" // all wait until one znode exists
	DrawItems   DrawingKind = "items"   // some clients put items below the root, others take them out
)
