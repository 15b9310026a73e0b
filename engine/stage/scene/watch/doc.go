// Package watch plans and paints the watches, and leads their lines from the clients to the znodes without crossing
// cards. Package scene calls it; messages and nodes follow its lines.
package watch
