#include "xdmf.hpp"

#include "../report/html.hpp"

#include <fmt/format.h>

namespace ridge::app {

namespace {

using report::escaped;

/// A dataset on the points of a grid.
struct Attribute {
  std::string name, reference;
};

/// `time`: a line that gives it, or nothing.
std::string grid_text(const XdmfGrid& grid, const std::vector<Attribute>& attributes,
                      const std::string& time) {
  // XDMF lists dimensions, origin and spacing slowest first, as HDF5 does.
  const Index3 n = grid.extents.xyz();
  std::string text = fmt::format(
      R"(    <Grid Name="{name}" GridType="Uniform">
{time}      <Topology TopologyType="3DCoRectMesh" Dimensions="{nz} {ny} {nx}"/>
      <Geometry GeometryType="ORIGIN_DXDYDZ">
        <DataItem Name="Origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">0 0 0</DataItem>
        <DataItem Name="Spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{dz} {dy} {dx}</DataItem>
      </Geometry>
)",
      fmt::arg("time", time), fmt::arg("name", escaped(grid.name)), fmt::arg("nx", n.x),
      fmt::arg("ny", n.y), fmt::arg("nz", n.z), fmt::arg("dx", grid.spacing[0]),
      fmt::arg("dy", grid.spacing[1]), fmt::arg("dz", grid.spacing[2]));
  for (const Attribute& one : attributes) {
    text +=
        fmt::format(R"(      <Attribute Name="{}" AttributeType="Scalar" Center="Node">
        <DataItem Dimensions="{} {} {}" NumberType="Float" Precision="{}" Format="HDF">{}</DataItem>
      </Attribute>
)",
                    escaped(one.name), n.z, n.y, n.x, grid.element_bytes, escaped(one.reference));
  }
  return text + "    </Grid>\n";
}

/// A series in time.
std::string collection_text(const std::string& name, const std::string& grids) {
  return fmt::format(
      "    <Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n{}    </Grid>\n",
      escaped(name), grids);
}

std::string series_text(const XdmfSeries& series) {
  std::string text;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    std::vector<Attribute> attributes{{series.name, series.references[i]}};
    for (const XdmfSeries::Another& one : series.more)
      attributes.push_back({one.name, one.references[i]});
    text += grid_text({series.name, "", series.extents, series.spacing, series.element_bytes},
                      attributes, fmt::format("      <Time Value=\"{}\"/>\n", series.times[i]));
  }
  return collection_text(series.name, text);
}

std::string file_text(const std::string& grids) {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="2.0">
  <Domain>
{}  </Domain>
</Xdmf>
)",
                     grids);
}

} // namespace

std::string xdmf_text(const XdmfGrid& grid) {
  return file_text(grid_text(grid, {{grid.name, grid.reference}}, ""));
}

std::string xdmf_text(const XdmfSeries& series) {
  return file_text(series_text(series));
}

std::string xdmf_text(const std::vector<XdmfSeries>& all) {
  std::string grids;
  for (const XdmfSeries& series : all)
    grids += series_text(series);
  return file_text(grids);
}

std::string xdmf_collection_text(const std::string& name, const std::string& grids) {
  return file_text(collection_text(name, grids));
}

std::string xdmf_points_text(const XdmfBodies& bodies) {
  std::string text;
  for (std::size_t n = 0; n < bodies.times.size(); ++n) {
    const auto item = [&](const char* dataset, int width, int bytes) {
      return fmt::format(
          R"(<DataItem Dimensions="{}{}" NumberType="Float" Precision="{}" Format="HDF">{}:/{}</DataItem>)",
          bodies.count, width > 1 ? fmt::format(" {}", width) : "", bytes, escaped(bodies.files[n]),
          dataset);
    };
    const auto attribute = [&](const char* dataset, const char* type, int width, int bytes) {
      return fmt::format(R"(        <Attribute Name="{}" AttributeType="{}" Center="Node">
          {}
        </Attribute>
)",
                         dataset, type, item(dataset, width, bytes));
    };
    text += fmt::format(R"(      <Grid Name="bodies" GridType="Uniform">
        <Time Value="{}"/>
        <Topology TopologyType="Polyvertex" NodesPerElement="1" NumberOfElements="{}"/>
        <Geometry GeometryType="XYZ">
          {}
        </Geometry>
{}{}{}      </Grid>
)",
                        bodies.times[n], bodies.count, item("position", 3, bodies.position_bytes),
                        attribute("velocity", "Vector", 3, bodies.element_bytes),
                        attribute("potential", "Scalar", 1, bodies.element_bytes),
                        attribute("mass", "Scalar", 1, 8));
  }
  return xdmf_collection_text("bodies", text);
}

} // namespace ridge::app
