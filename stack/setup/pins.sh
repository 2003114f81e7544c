# Versions of the tools in .local/tools. The next make installs a tool again if its pin changes.
NODE_PIN=24.21.0
NPM_PIN=11.19.1
KAFKA_PIN=4.1.0
REGISTRY_PIN=3.0.9
REGISTRY_SHA256=2b28181501a20cbf6efcd77f9b7153908fc01f3d3a7c32024c0bd9e1b04c8a43
# The last version that Debian 12's Go can build. Its go.sum pins its dependencies.
TOXIPROXY_PIN=2.5.0
TOXIPROXY_SUM=h1:i4LPT+qrSlKNtQf5QliVjdP08GyAH8+BUIc9gT0eahc=
# Version 2 of the plugin downloads an artifact without its parent poms. Later versions fail, because Apicurio does not
# publish its parent pom for every release.
MAVEN_COPY_ONE=org.apache.maven.plugins:maven-dependency-plugin:2.10:copy
MAVEN_COPY_ALL=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies
