package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// step is the kind of an action.
type step uint8

const (
	// At a client: these wait while its process is paused.
	stepStart       step = iota // the process starts
	stepReply                   // a reply arrives
	stepNotify                  // a watch event arrives
	stepPong                    // the answer to a ping arrives
	stepWelcome                 // the answer to a handshake arrives
	stepHungUp                  // the server's end of the connection arrives
	stepTimer                   // a wait is over
	stepHeartbeat               // time to ping, or to give up the connection
	stepReconnect               // time to try again
	stepNodeWelcome             // a node's answer to a new connection arrives
	stepNodeReply               // a node's reply arrives
	stepNodePush                // an unasked message from a node arrives
	stepNodeHungUp              // a node's end of the connection arrives
	stepNodeCheck               // time to check whether a connection to a node still exists
	stepStartBeside             // what runs beside a program starts
	stepInterrupt               // what runs beside a program interrupts it
	stepStored                  // a store's answer arrives
	// At the server.
	stepRequest // a request arrives
	stepPing    // a ping arrives
	stepHello   // a handshake arrives
	stepGone    // the client's end of the connection arrives
	stepTick    // a deadline is due
	// To the world.
	stepFault
	stepLetter        // what is on its way arrives, in a run with faults on clients' messages
	stepResume        // a pause ends
	stepHeal          // a cut ends
	stepEndDelay      // a delay ends
	stepServerUp      // the server starts again
	stepServers       // an ensemble's own step
	stepCheckSessions // an ensemble's leader checks its sessions
	stepLinkHealed    // a client's link to one server of an ensemble is mended
	stepDial          // a client comes back to an ensemble
	// To and at the nodes of other systems.
	stepNodeHello   // a new connection arrives
	stepNodeRequest // a request arrives
	stepNodeGone    // the process's end of the connection arrives
	stepNodeTick    // something is due at a node
	stepNodeUp      // a node starts again
	stepReplay      // a primary's change arrives at a replica
	stepConfirm     // a replica's confirmation arrives
	stepEndLag      // a lag ends
	// To an external store.
	stepStore // a write arrives
)

const lastAtClient = stepStored

// action is something that will happen at a known time.
type action struct {
	step    step
	typ     zoo.EventType // of a notification
	client  *client
	conn    *conn
	req     *zkclient.Request
	write   *storeWrite
	message *nodeMessage // to or from a node of another system
	path    string
	cause   event.Seq // the message's own event
	n       int64     // the timer's generation, the fault's index, the ensemble's slot, or the letter's number
}
