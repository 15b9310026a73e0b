// Package host is the room of what carries out programs and writes what happens into a log: the simulator in virtual
// time (sim), processes in real time with connections to somebody's stores (realtime), to which live adds ZooKeeper,
// and the visitors of the Zoo (contend).
package host
