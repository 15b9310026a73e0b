package event

// Drawing says how a run is to be drawn. Its zero value leaves that to the scene.
type Drawing struct {
	Kind DrawingKind
	// Queue is the name, below the root, of the znode whose children are a queue, or wait at a barrier. It is empty for
	// the root itself.
	Queue string
	Gate  string // the name, below the root, of the one znode that all want, or wait for: of DrawName and DrawBarrier
	Taker string // the role of the clients that take items out: of DrawItems
	Shows Datum  // what is to be seen besides, because the recipe turns on it
	// Stores are what clients write to outside of ZooKeeper, for which there is to be room from the start.
	Stores []StoreDrawing
}

// Datum is what a picture shows only where the recipe turns on it. Those that this version does not know are not shown.
type Datum string

const (
	ShowTimes Datum = "times" // when each znode was made
	ShowReads Datum = "reads" // what each client has read last
	// ShowPatience is in how long each client gives up waiting.
	ShowPatience Datum = "patience"
)

// StoreDrawing says what a store is like.
type StoreDrawing struct {
	Name string // empty if it is not known before the first write
	Form StoreForm
	// Trays is how many clients a StoreSheet has room for at a time, each with a sheet of its own; 0 for one.
	Trays int
}

// StoreForm is what the writes to a store are. Forms that this version does not know are drawn as StoreLines.
type StoreForm string

const (
	StoreLines   StoreForm = ""        // lines, one after the other
	StoreSheet   StoreForm = "sheet"   // pages: those that a client writes while it is inside belong together
	StoreNumbers StoreForm = "numbers" // numbers, each of which is to be given out once
	StoreValues  StoreForm = "values"  // what each client goes by, the latest in place of the one before
	StoreTasks   StoreForm = "tasks"   // the name of a task and what became of it: TaskOpen, TaskTaken or TaskDone
	// StoreDocument is one document, of which a new version is written in two halves: FirstHalf, SecondHalf. Copies are
	// taken of it as it is: ACopy.
	StoreDocument StoreForm = "document"
)

// What a write to a StoreTasks says of a task, after its name and a space.
const (
	TaskOpen  = "open"
	TaskTaken = "taken"
	TaskDone  = "done"
)

// What a write to a StoreDocument says.
const (
	FirstHalf  = "first half"
	SecondHalf = "second half"
	ACopy      = "a copy"
)

// DrawingKind is what a picture shows the znodes as. Kinds that this version does not know are drawn as DrawTree.
type DrawingKind string

const (
	DrawTree    DrawingKind = ""        // the znodes as a tree
	DrawQueue   DrawingKind = "queue"   // numbered children are a queue, with one for each client that waits
	DrawName    DrawingKind = "name"    // one znode that one client at a time can have
	DrawBarrier DrawingKind = "barrier" // all wait until one znode is there
	DrawItems   DrawingKind = "items"   // some put items in below the root, others take them out
)
