// Package owners observes which of zkviz's own servers owns what they share (engine/run/shared), as a log like any
// other: the servers are its clients, their NATS is its node, the names that they own are its entries, and the logs
// that owners append to are its stores. So scene, fold and checker show and judge what our own lock does.
//
// It writes nothing, and doesn't ask the servers: it tells what NATS has stored. What a server believes isn't known,
// but that it holds a name: a new owner says so by its mark in the log, under which its epoch is its fencing number.
//
// Names of classes and observations are secrets of a kind: they become numbers, in the order in which they come. What
// entries say stays unread.
//
// engine/run/room shows it as a system inside the program.
package owners
