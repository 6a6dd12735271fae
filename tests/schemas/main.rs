//! Schemas and the fitness of contracts: fixtures, hostile input, the published suite, real
//! catalogs.
//!
//! What lies outside the project is found through `MCPLOCK_SUITES`; without it those tests say
//! loudly that they were skipped.

#[cfg(test)]
mod fitness;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod legal;
#[cfg(test)]
mod metaschemas;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod suite;
