// Package queue plans and paints znodes side by side: queues and locks, more clients than can be read (Crowd), and
// items that some clients put in and others take out. Cards themselves are package znode's. Package scene calls it.
package queue
