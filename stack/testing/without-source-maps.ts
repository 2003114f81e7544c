/**
 * AVA turns source maps on in the processes of test files. Node moves no line when it strips types, so the maps of
 * packages would be read for nothing.
 */
process.setSourceMapsEnabled(false);
