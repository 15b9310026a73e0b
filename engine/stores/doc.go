// Package stores is the room of the other systems that locks are built on: Redis, databases that speak SQL, and
// etcd. Each has a model for the simulator, a connection to the real one, and the calls that recipes make. remote
// has what they share, systems the world that a recipe sees. Nothing here knows which recipe runs.
package stores
