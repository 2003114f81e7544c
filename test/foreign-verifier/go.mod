module foreign-verifier

go 1.17

require golang.org/x/mod v0.12.0
