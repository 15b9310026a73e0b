// Package store plans and paints the store that a lock protects, and what clients wrote to it: lines, sheets, tasks
// or a document. It judges nothing: the state says what is torn or came twice. Package scene calls it.
package store
