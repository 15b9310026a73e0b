// Package relay shares observations between servers, over engine/run/shared: one server observes, all get its log, and
// another goes on with the same log when that one is gone.
//
// It knows neither ZooKeeper nor rooms nor HTTP: an observation is a Source of events, with a name.
//
// # How a log is shared
//
// Each observation has a name, the same at all servers, and one of them owns it. The owner runs the Source, and
// appends its events, packed in blocks, to a shared log. Every server, also the owner, reads that log, and hands its
// events on: so nobody is shown an event that a new owner wouldn't find.
//
// A new owner takes the log, which refuses what the old one still sends, reads it from its beginning, and has the
// Source go on after that. If the Source can't, the log ends, and everybody begins anew with another one. That is also
// how a log ends that is full.
//
// Which log it is, the owner answers to those who ask. A new owner that has none, because it came last, asks the
// others. If none answers in time, it begins another log; those who still read the old one notice within CheckEvery,
// and begin anew, too.
//
// A log that is full is deleted when the next one begins, and one that nobody reads any more when its owner leaves.
// Only that of a last server which was killed stays until NATS drops it.
//
// # What only one can observe
//
// Some things only one server can observe, such as what is inside it. It offers that, and others see it: Offer and
// See. The one that offers owns the name as long as it does so, and begins a log when somebody asks for one. Readers
// say which log they have read to its end, so that they get another. A log that nobody has asked for for long is
// deleted.
//
// # Without the others
//
// A server that can't reach the others for as long as a lease lasts runs the Source by itself, in a log of its own,
// until it can reach them again. Both changes end the log that its readers see, and another begins.
// It does the same for AloneFor when NATS has no room for a log.
package relay
