// Package servers plans and paints the servers of an ensemble: their state, logs, votes and clients, and what
// separates them. The letters between them are package message's. Package scene calls it.
package servers
