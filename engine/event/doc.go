// Package event is the vocabulary of zkviz: one record for each fact that a host observed.
//
// A run is a log of events. Everything that is shown, checked or counted is computed from the log. Only observers
// write to it: the hosts (engine/host/sim, engine/host/live) and the packages that watch or take part (engine/observe,
// engine/host/contend, engine/zookeeper/embed). Apart from the standard library, it imports only engine/base/jsontext.
//
// What sets hosts apart is in host.go, how a log is drawn in drawing.go, the fields of a header in header.go.
//
// It is also the room of all that events are made of and kept in: what a program is (program, process), faults,
// actors' sentences, ZooKeeper's calls and codes as recipes see them (zoo), traces and packed logs, and logs that
// many read (hub, window). It may import base alone.
package event
