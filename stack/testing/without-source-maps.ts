/**
 * AVA enables source maps in test processes. Node keeps line numbers when it strips types, so reading the packages'
 * maps is useless.
 */
process.setSourceMapsEnabled(false);
