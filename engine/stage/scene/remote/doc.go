// Package remote plans and paints the nodes of systems other than ZooKeeper: what they hold, who waits there, and the
// clients' connections and messages. It knows no system's rules: the state says who holds what. Package scene calls
// it.
package remote
