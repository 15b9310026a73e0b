package event

// Drawing says how a run is to be drawn. Its zero value leaves that to the scene.
type Drawing struct {
	Kind DrawingKind
	// Queue is the name, below the root, of the znode whose children are a queue, or wait at a barrier. It is empty for
	// the root itself.
	Queue string
	Gate  string // the name, below the root, of the one znode that all want, or wait for: of DrawName and DrawBarrier
	Taker string // the role of the clients that take items out: of DrawItems
	Store bool   // clients write to something outside of ZooKeeper, for which there is to be room from the start
	Shows Datum  // what is to be seen besides, because the recipe turns on it
}

// Datum is what a picture shows only where the recipe turns on it. Those that this version does not know are not shown.
type Datum string

const (
	ShowTimes Datum = "times" // when each znode was made
	ShowReads Datum = "reads" // what each client has read last
	// ShowPatience is in how long each client gives up waiting.
	ShowPatience Datum = "patience"
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
