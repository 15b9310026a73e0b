// Package transcript plans and paints what clients say to a database, and what it answers: a column below each client,
// time downwards, with a bar for as long as a statement waits. Package scene calls it.
package transcript
