// Package host is the room of what carries out programs and writes what happens into a log: the simulator in virtual
// time (sim), real connections to somebody's ZooKeeper and stores (live), and the visitors of the Zoo (contend).
package host
