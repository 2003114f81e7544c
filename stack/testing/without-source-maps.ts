/**
 * AVA enables source maps in the processes of test files. Node keeps line numbers when it strips types, so reading the
 * packages' maps is useless.
 */
process.setSourceMapsEnabled(false);
