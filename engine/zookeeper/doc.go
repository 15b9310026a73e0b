// Package zookeeper is the room of ZooKeeper itself, as code that runs without Apache's: the wire protocol, the
// tree of znodes, a server, what servers of an ensemble agree on (zab), an ensemble inside a process, its files,
// how clients and observers connect and say who they are. Nothing here knows a recipe, a run or a picture.
package zookeeper
