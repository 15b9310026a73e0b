// Package standby lets one of several servers join an ensemble, and gives what that one learns to the others over
// engine/run/shared. Another server joins when that one is gone.
//
// It knows neither logs of events nor HTTP: Follow stands in for learner.Follow, at every server.
//
// # How transactions are shared
//
// Servers that name the same ensemble compete for one lease. Its owner joins, and appends what it learns to a shared
// log. Every server, also the owner, gets it from that log: nobody is shown a transaction that a new owner wouldn't
// find. A log begins with the tree, as an image. Before it is full, the owner begins the next one and ends the first
// with its name; readers who were up to date skip the second image.
//
// A new owner takes the log, which refuses what the old one still sends, reads it, and asks the leader for what came
// after its last transaction. If the leader sends its whole tree instead, another log begins with it, and readers begin
// anew. An owner that finds no leader for GiveUpAfter lets another server try.
//
// # What is not shared
//
// The owner's image of the tree is guarded (replay.State.Guarded), and the log has only what that image shows: the
// beginning of data that everybody may read, sizes, and of an ACL one bit. Identities and their digests stay.
//
// # Without the others
//
// A server that can't reach NATS for as long as a lease lasts joins by itself, until it can. So does each,
// for AloneFor, if the tree is larger than MaxImage or NATS has no room.
package standby
